#include "worker/runtime/parent.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "common/base/status.h"
#include "common/base/strings.h"

namespace meanfield {

absl::Status EndWithParent(int64_t pid) {
  if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0) {
    return ErrnoStatus(errno, "ask for a signal at the end of",
                       StrCat("process ", pid));
  }
  // After prctl: a parent that ended before it sends no signal.
  if (getppid() == pid) return absl::OkStatus();
  return absl::UnavailableError(
      StrCat("process ", pid, ", which started this worker, has ended"));
}

}  // namespace meanfield

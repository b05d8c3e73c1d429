#include "coordinator/driver/idle_share.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace meanfield::driver {

std::string IdleShareNote(uint32_t shards, size_t workers) {
  if (workers == 0 || shards % workers == 0) return "";
  const uint64_t turns = (shards + workers - 1) / workers;
  const double idle =
      1 - static_cast<double>(shards) / static_cast<double>(turns * workers);
  std::string better = absl::StrCat(turns * workers);
  if (turns > 1) {
    better = absl::StrCat((turns - 1) * workers, " or ", better);
  }
  return absl::StrFormat(
      "%d shards on %d workers: %.0f %% of the workers' time is idle in a "
      "round; shards: %s would use all of it",
      shards, workers, 100 * idle, better);
}

}  // namespace meanfield::driver

#include "common/base/version.h"

#include "absl/strings/str_cat.h"

namespace meanfield {

std::string Version() { return MEANFIELD_VERSION; }

std::string VersionAndCommit() {
  const std::string commit = MEANFIELD_COMMIT;
  return commit.empty() ? Version()
                        : absl::StrCat(Version(), " (commit ", commit, ")");
}

}  // namespace meanfield

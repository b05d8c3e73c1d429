#include "coordinator/cli/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "common/base/status.h"

namespace meanfield::cli {

absl::StatusOr<ScratchFolder> ScratchFolder::Create() {
  std::error_code error;
  const std::filesystem::path parent =
      std::filesystem::temp_directory_path(error);
  if (error) return ErrnoStatus(error.value(), "find", "TMPDIR");
  return CreateIn(parent.string());
}

absl::StatusOr<ScratchFolder> ScratchFolder::CreateIn(
    const std::string& folder) {
  std::string path = folder + "/meanfield-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) {
    return ErrnoStatus(errno, "create", path);
  }
  return ScratchFolder(path);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace meanfield::cli

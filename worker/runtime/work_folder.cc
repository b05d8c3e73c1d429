#include "worker/runtime/work_folder.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "common/base/status.h"

namespace meanfield {

namespace fs = std::filesystem;

absl::StatusOr<WorkFolder> WorkFolder::Create(const std::string& parent) {
  std::error_code error;
  const fs::path above =
      parent.empty() ? fs::temp_directory_path(error) : fs::path(parent);
  if (!error) fs::create_directories(above, error);
  if (error) {
    return ErrnoStatus(error.value(), "create the work folder", above.string());
  }
  std::string path = (above / "meanfield-worker-XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr) {
    return ErrnoStatus(errno, "create a work folder in", above.string());
  }
  return WorkFolder(std::move(path));
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;  // nobody is left to be told
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

std::string WorkFolder::File(std::string_view name) const {
  return (fs::path(path_) / name).string();
}

}  // namespace meanfield

#include "coordinator/cli/out_folder.h"

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"

namespace meanfield::cli {

namespace fs = std::filesystem;

std::string DefaultOutFolder(const std::string& job, absl::Time now) {
  return absl::StrCat(
      "runs/", job, "-",
      absl::FormatTime("%Y%m%d-%H%M%S", now, absl::UTCTimeZone()));
}

absl::StatusOr<OutFolder> OutFolder::Create(const std::string& path) {
  OutFolder folder;
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error).lexically_normal();
  folder.path_ = absolute.string();
  if (fs::exists(absolute, error)) {
    if (!fs::is_directory(absolute, error)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--out ", path, " is not a folder"));
    }
    if (!fs::is_empty(absolute, error) || error) {
      return absl::InvalidArgumentError(
          absl::StrCat("--out ", path,
                       " holds files already; name a new folder, or remove "
                       "what is there"));
    }
    return folder;
  }
  for (fs::path above = absolute; !above.empty() && !fs::exists(above, error);
       above = above.parent_path()) {
    folder.made_from_ = above.string();
  }
  fs::create_directories(absolute, error);
  if (error) return ErrnoStatus(error.value(), "create --out", path);
  return folder;
}

void OutFolder::RemoveWhatWasMade() {
  std::error_code ignored;
  if (!made_from_.empty()) {
    fs::remove_all(made_from_, ignored);
    return;
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(path_)) {
    fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace meanfield::cli

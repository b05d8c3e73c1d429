#ifndef MEANFIELD_COORDINATOR_CLI_SCRATCH_FOLDER_H_
#define MEANFIELD_COORDINATOR_CLI_SCRATCH_FOLDER_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace meanfield::cli {

// A folder below TMPDIR (or /tmp), or another folder, removed with everything
// in it at the end.
class ScratchFolder {
 public:
  static absl::StatusOr<ScratchFolder> Create();
  static absl::StatusOr<ScratchFolder> CreateIn(const std::string& folder);
  ScratchFolder(ScratchFolder&& other) noexcept
      : path_(std::exchange(other.path_, "")) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  const std::string& path() const { return path_; }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_SCRATCH_FOLDER_H_

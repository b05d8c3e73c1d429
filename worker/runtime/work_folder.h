#ifndef MEANFIELD_WORKER_RUNTIME_WORK_FOLDER_H_
#define MEANFIELD_WORKER_RUNTIME_WORK_FOLDER_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"

namespace meanfield {

// A fresh folder of the worker's own, removed with everything in it.
class WorkFolder {
 public:
  // Below `parent`, which is created where it is missing; below the system's
  // folder for temporary files where it is empty.
  static absl::StatusOr<WorkFolder> Create(const std::string& parent);
  WorkFolder(WorkFolder&& other) noexcept
      : path_(std::exchange(other.path_, "")) {}
  WorkFolder& operator=(WorkFolder&&) = delete;
  ~WorkFolder();

  std::string File(std::string_view name) const;

 private:
  explicit WorkFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;  // empty: moved from
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_RUNTIME_WORK_FOLDER_H_

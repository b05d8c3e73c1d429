#ifndef MEANFIELD_WORKER_RUNTIME_WORK_FOLDER_H_
#define MEANFIELD_WORKER_RUNTIME_WORK_FOLDER_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"

namespace meanfield {

// A fresh folder of the worker's own, removed with everything in it. A worker
// that was killed leaves its folder; the next one beside it removes that: a
// lock, which ends with its process, tells whether a folder is in use.
class WorkFolder {
 public:
  // Below `parent`, which is created where it is missing; below the system's
  // folder for temporary files where it is empty.
  static absl::StatusOr<WorkFolder> Create(const std::string& parent);
  WorkFolder(WorkFolder&& other) noexcept
      : path_(std::exchange(other.path_, "")),
        lock_(std::exchange(other.lock_, -1)) {}
  WorkFolder& operator=(WorkFolder&&) = delete;
  ~WorkFolder();

  std::string File(std::string_view name) const;

 private:
  WorkFolder(std::string path, int lock)
      : path_(std::move(path)), lock_(lock) {}
  std::string path_;  // empty: moved from
  int lock_;          // file descriptor
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_RUNTIME_WORK_FOLDER_H_

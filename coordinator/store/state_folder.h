#ifndef MEANFIELD_COORDINATOR_STORE_STATE_FOLDER_H_
#define MEANFIELD_COORDINATOR_STORE_STATE_FOLDER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace meanfield::store {

// Name of a file system (statfs's f_type) on which file locks and fsync cannot
// be relied upon: "NFS", "CIFS", "FUSE", "Lustre", …
std::optional<std::string_view> NetworkFileSystem(uint32_t type);

// FAILED_PRECONDITION where the folder, or the nearest one above it that
// exists, is on such a file system.
absl::Status CheckFileSystem(const std::string& folder);

// Creates a folder and those above it, durably.
absl::Status MakeFolder(const std::string& folder);

// The state directory belongs to one process at a time: an flock on its file
// `lock`, which also ends with a killed process. Not inherited by programs that
// the process starts.
class StateLock {
 public:
  // FAILED_PRECONDITION names the process that holds it.
  static absl::StatusOr<std::unique_ptr<StateLock>> Acquire(
      const std::string& folder);
  ~StateLock();
  StateLock(const StateLock&) = delete;
  StateLock& operator=(const StateLock&) = delete;

 private:
  explicit StateLock(int fd) : fd_(fd) {}
  const int fd_;
};

}  // namespace meanfield::store

#endif  // MEANFIELD_COORDINATOR_STORE_STATE_FOLDER_H_

#ifndef MEANFIELD_COMMON_BLOB_BLOB_STORE_H_
#define MEANFIELD_COMMON_BLOB_BLOB_STORE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace meanfield {

inline constexpr size_t kBlobChunkBytes = size_t{1} << 20;
// Names of files that are not blobs yet; what a crash left may be removed by
// the folder's only user.
inline constexpr std::string_view kTemporaryPrefix = ".tmp-";

struct Blob {
  std::string id;     // see hash.h
  uint64_t size = 0;  // bytes

  friend bool operator==(const Blob&, const Blob&) = default;
};

enum class Durability {
  kCached,   // may vanish in a power loss: what a run can make again
  kDurable,  // file and folder are synced before the call returns
};

// Immutable files named by the hash of their bytes, in one folder. The
// coordinator's `objects/`, and a worker's cache. Thread-safe: concurrent puts
// of equal bytes are one blob. Errors name the file; disk full is
// RESOURCE_EXHAUSTED.
class BlobStore {
 public:
  // Creates the folder.
  static absl::StatusOr<BlobStore> Open(const std::string& folder);

  absl::StatusOr<Blob> Put(std::span<const std::byte> bytes,
                           Durability durability);
  absl::StatusOr<Blob> Put(std::string_view text, Durability durability);
  // Hashes the file and moves it in (same file system); it is gone from `path`.
  absl::StatusOr<Blob> Adopt(const std::string& path, Durability durability);
  // As Adopt, but fails with DATA_LOSS where the bytes are not `expected`.
  absl::Status AdoptAs(const Blob& expected, const std::string& path,
                       Durability durability);

  bool Contains(const Blob& blob) const;
  // Where the bytes are (to map or stream); NOT_FOUND names the blob. The size
  // is checked (DATA_LOSS), the hash is not.
  absl::StatusOr<std::string> Path(const Blob& blob) const;
  // The bytes, hash checked (DATA_LOSS). For small texts.
  absl::StatusOr<std::string> Read(const Blob& blob) const;
  // NOT_FOUND where it is not there. Who has mapped it keeps the bytes.
  absl::Status Remove(const Blob& blob);

  // A fresh name in the store's folder for a file that Adopt will take.
  std::string NewTemporary() const;
  const std::string& folder() const { return folder_; }

 private:
  explicit BlobStore(std::string folder) : folder_(std::move(folder)) {}
  // Moves a file whose hash is known to its final name.
  absl::Status Install(const std::string& path, const std::string& id,
                       Durability durability) const;

  std::string folder_;
};

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_BLOB_BLOB_STORE_H_

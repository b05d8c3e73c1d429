#ifndef MEANFIELD_COMMON_BLOB_HASH_H_
#define MEANFIELD_COMMON_BLOB_HASH_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace meanfield {

// A blob's name, "xxh3-" and 32 lower-case hex digits (XXH3-128). A checksum,
// not a signature: only names made by the coordinator are trusted.
bool IsBlobId(std::string_view id);

std::string BlobIdOf(std::span<const std::byte> bytes);
absl::StatusOr<std::string> BlobIdOfFile(const std::string& path);

// XXH3-64, for one chunk on the wire.
uint64_t ChunkChecksum(std::span<const std::byte> bytes);

// Streaming form of BlobIdOf.
class BlobHasher {
 public:
  BlobHasher();
  ~BlobHasher();
  void Update(std::span<const std::byte> bytes);
  std::string Finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_BLOB_HASH_H_

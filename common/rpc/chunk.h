#ifndef MEANFIELD_COMMON_RPC_CHUNK_H_
#define MEANFIELD_COMMON_RPC_CHUNK_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "proto/coordinator.pb.h"

namespace meanfield::rpc {

// A file opened for sending: its chunks by offset. Move-only; closes the file.
class ChunkReader {
 public:
  // NOT_FOUND, PERMISSION_DENIED, … name the path. Only regular files.
  static absl::StatusOr<ChunkReader> Open(const std::string& path);
  ChunkReader(ChunkReader&& other) noexcept;
  ChunkReader& operator=(ChunkReader&& other) noexcept;
  ~ChunkReader();

  uint64_t size() const { return size_; }
  // Fills `chunk` with up to 1 MiB from `offset` < size and its checksum.
  // DATA_LOSS where the file became shorter.
  absl::Status Read(uint64_t offset, proto::BlobChunk& chunk) const;

 private:
  ChunkReader(std::string path, int fd, uint64_t size);
  std::string path_;
  int fd_;
  uint64_t size_;
};

// A file that is received: chunks are checked and appended. Move-only; closes
// the file, and keeps it.
class ChunkWriter {
 public:
  // Opens or creates `path` for a file of `size` bytes. What it holds already
  // is kept: received() says how much. More than `size`: it starts from
  // nothing. RESOURCE_EXHAUSTED where the disk lacks the space.
  static absl::StatusOr<ChunkWriter> Open(const std::string& path,
                                          uint64_t size);
  ChunkWriter(ChunkWriter&& other) noexcept;
  ChunkWriter& operator=(ChunkWriter&& other) noexcept;
  ~ChunkWriter();

  uint64_t received() const { return received_; }
  bool complete() const { return received_ == size_; }
  // DATA_LOSS: wrong checksum. OUT_OF_RANGE: more bytes than announced.
  // INVALID_ARGUMENT: empty, or above 1 MiB. RESOURCE_EXHAUSTED: disk full.
  // After an error the file holds what it held before.
  absl::Status Append(const proto::BlobChunk& chunk);

 private:
  ChunkWriter(std::string path, int fd, uint64_t size, uint64_t received);
  absl::Status Reserve();
  absl::Status WriteAll(const std::string& data);
  std::string path_;
  int fd_;
  uint64_t size_;
  uint64_t received_;
};

}  // namespace meanfield::rpc

#endif  // MEANFIELD_COMMON_RPC_CHUNK_H_

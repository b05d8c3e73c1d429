#include "common/rpc/chunk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/blob/blob_store.h"
#include "common/blob/hash.h"

namespace meanfield::rpc {
namespace {

uint64_t Checksum(const std::string& data) {
  return ChunkChecksum(std::as_bytes(std::span(data)));
}

absl::StatusOr<uint64_t> RegularFileSize(int fd, const std::string& path) {
  struct stat file {};
  if (fstat(fd, &file) != 0) return ErrnoStatus(errno, "look at", path);
  if (!S_ISREG(file.st_mode)) {
    return absl::InvalidArgumentError(StrCat(path, " is not a regular file"));
  }
  return static_cast<uint64_t>(file.st_size);
}

}  // namespace

// ------------------------------------------------------------ ChunkReader --

absl::StatusOr<ChunkReader> ChunkReader::Open(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return ErrnoStatus(errno, "open", path);
  ChunkReader reader(path, fd, 0);
  MEANFIELD_ASSIGN_OR_RETURN(reader.size_, RegularFileSize(fd, path));
  return reader;
}

ChunkReader::ChunkReader(std::string path, int fd, uint64_t size)
    : path_(std::move(path)), fd_(fd), size_(size) {}

ChunkReader::ChunkReader(ChunkReader&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      size_(other.size_) {}

ChunkReader& ChunkReader::operator=(ChunkReader&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  std::swap(size_, other.size_);
  return *this;
}

ChunkReader::~ChunkReader() {
  if (fd_ >= 0) close(fd_);
}

absl::Status ChunkReader::Read(uint64_t offset, proto::BlobChunk& chunk) const {
  MEANFIELD_CHECK(offset < size_, "nothing is left to read");
  std::string& data = *chunk.mutable_data();
  data.resize(std::min<uint64_t>(kBlobChunkBytes, size_ - offset));
  for (size_t done = 0; done < data.size();) {
    const ssize_t n = pread(fd_, data.data() + done, data.size() - done,
                            static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoStatus(errno, "read", path_);
    if (n == 0) {
      return absl::DataLossError(StrCat(path_, " ended at byte ", offset + done,
                                        " of ", size_, " while it was sent"));
    }
    done += static_cast<size_t>(n);
  }
  chunk.set_checksum(Checksum(data));
  return absl::OkStatus();
}

// ------------------------------------------------------------ ChunkWriter --

absl::StatusOr<ChunkWriter> ChunkWriter::Open(const std::string& path,
                                              uint64_t size) {
  const int fd =
      open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
           S_IRUSR | S_IWUSR);
  if (fd < 0) return ErrnoStatus(errno, "open for writing", path);
  ChunkWriter writer(path, fd, size, 0);
  MEANFIELD_ASSIGN_OR_RETURN(writer.received_, RegularFileSize(fd, path));
  if (writer.received_ > size) {
    if (ftruncate(fd, 0) != 0) return ErrnoStatus(errno, "truncate", path);
    writer.received_ = 0;
  }
  if (!writer.complete()) {
    MEANFIELD_RETURN_IF_ERROR(writer.Reserve());
  }
  return writer;
}

ChunkWriter::ChunkWriter(std::string path, int fd, uint64_t size,
                         uint64_t received)
    : path_(std::move(path)), fd_(fd), size_(size), received_(received) {}

ChunkWriter::ChunkWriter(ChunkWriter&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      size_(other.size_),
      received_(other.received_) {}

ChunkWriter& ChunkWriter::operator=(ChunkWriter&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(fd_, other.fd_);
  std::swap(size_, other.size_);
  std::swap(received_, other.received_);
  return *this;
}

ChunkWriter::~ChunkWriter() {
  if (fd_ >= 0) close(fd_);
}

// A full disk shows now, not after gigabytes; where the file system cannot
// reserve, it shows later.
absl::Status ChunkWriter::Reserve() {
  int failed = 0;
  do {
    failed = fallocate(fd_, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(size_));
  } while (failed != 0 && errno == EINTR);
  if (failed == 0 || errno == EOPNOTSUPP || errno == ENOSYS) {
    return absl::OkStatus();
  }
  const absl::Status status = Annotate(
      ErrnoStatus(errno, "reserve space in", path_), StrCat(size_, " bytes"));
  // Gives back what was reserved before it failed.
  if (ftruncate(fd_, static_cast<off_t>(received_)) != 0) {
    return Annotate(ErrnoStatus(errno, "truncate", path_),
                    StdView(status.message()));
  }
  return status;
}

absl::Status ChunkWriter::Append(const proto::BlobChunk& chunk) {
  const std::string& data = chunk.data();
  if (data.empty() || data.size() > kBlobChunkBytes) {
    return absl::InvalidArgumentError(
        StrCat("a chunk of ", data.size(), " bytes at byte ", received_,
               "; expected 1 to ", kBlobChunkBytes));
  }
  if (data.size() > size_ - received_) {
    return absl::OutOfRangeError(StrCat("a chunk of ", data.size(),
                                        " bytes at byte ", received_, ", but ",
                                        size_, " bytes were announced in all"));
  }
  if (Checksum(data) != chunk.checksum()) {
    return absl::DataLossError(
        StrCat("the chunk at byte ", received_, " does not have its checksum"));
  }
  return WriteAll(data);
}

absl::Status ChunkWriter::WriteAll(const std::string& data) {
  for (size_t done = 0; done < data.size();) {
    const ssize_t n = pwrite(fd_, data.data() + done, data.size() - done,
                             static_cast<off_t>(received_ + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const absl::Status failed = ErrnoStatus(errno, "write to", path_);
      // The size tells where to go on, so a torn chunk must not count.
      if (ftruncate(fd_, static_cast<off_t>(received_)) != 0) {
        return Annotate(ErrnoStatus(errno, "truncate", path_),
                        StdView(failed.message()));
      }
      return failed;
    }
    done += static_cast<size_t>(n);
  }
  received_ += data.size();
  return absl::OkStatus();
}

}  // namespace meanfield::rpc

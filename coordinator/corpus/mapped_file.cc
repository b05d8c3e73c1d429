#include "coordinator/corpus/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "common/base/status.h"
#include "common/base/strings.h"

namespace meanfield::corpus {

absl::StatusOr<MappedFile> MappedFile::Open(const std::string& path) {
  // Not blocking: a named pipe without a writer must not hang us.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return ErrnoStatus(errno, "open corpus file", path);
  const absl::Cleanup closer = [fd] { close(fd); };
  struct stat status;
  if (fstat(fd, &status) != 0) {
    return ErrnoStatus(errno, "look at corpus file", path);
  }
  if (!S_ISREG(status.st_mode)) {
    return absl::InvalidArgumentError(
        StrCat("corpus file ", path, " is ",
               S_ISDIR(status.st_mode) ? "a folder" : "a pipe or device",
               ", expected a regular file"));
  }
  const size_t size = static_cast<size_t>(status.st_size);
  if (size == 0) return MappedFile(nullptr, 0);
  void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED) return ErrnoStatus(errno, "map corpus file", path);
  madvise(data, size, MADV_SEQUENTIAL);
  return MappedFile(static_cast<const char*>(data), size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
}

}  // namespace meanfield::corpus

#include "common/blob/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/status.h"
#include "common/base/strings.h"

namespace meanfield {
namespace {

absl::Status WriteAll(int fd, std::span<const std::byte> bytes,
                      const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return ErrnoStatus(errno, "write", path);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadAll(int fd, const std::string& path) {
  struct stat facts;
  if (fstat(fd, &facts) != 0) return ErrnoStatus(errno, "look at", path);
  if (!S_ISREG(facts.st_mode)) {
    return absl::FailedPreconditionError(
        StrCat(path, " is not a regular file"));
  }
  std::string bytes(static_cast<size_t>(facts.st_size), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = read(fd, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoStatus(errno, "read", path);
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

absl::Status Sync(const std::string& path, int flags) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | flags);
  if (fd < 0) return ErrnoStatus(errno, "open", path);
  const bool failed = fsync(fd) != 0;
  const int error = errno;
  close(fd);
  if (failed) return ErrnoStatus(error, "sync", path);
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteNewFile(const std::string& path,
                          std::span<const std::byte> bytes) {
  const int fd =
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0 && errno == EEXIST) {
    return absl::AlreadyExistsError(StrCat(path, " is already there"));
  }
  if (fd < 0) return ErrnoStatus(errno, "create", path);
  absl::Status status = WriteAll(fd, bytes, path);
  // Some file systems report a full disk only here.
  if (close(fd) != 0 && status.ok()) status = ErrnoStatus(errno, "close", path);
  if (!status.ok()) unlink(path.c_str());
  return status;
}

absl::StatusOr<std::string> ReadWholeFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return ErrnoStatus(errno, "open", path);
  absl::StatusOr<std::string> bytes = ReadAll(fd, path);
  close(fd);
  return bytes;
}

absl::StatusOr<uint64_t> RegularFileSize(const std::string& path) {
  struct stat facts;
  if (lstat(path.c_str(), &facts) != 0) {
    return ErrnoStatus(errno, "look at", path);
  }
  if (!S_ISREG(facts.st_mode)) {
    return absl::FailedPreconditionError(
        StrCat(path, " is not a regular file"));
  }
  return static_cast<uint64_t>(facts.st_size);
}

absl::Status RenameFile(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    return ErrnoStatus(errno, StrCat("rename ", from, " to"), to);
  }
  return absl::OkStatus();
}

absl::Status SyncFile(const std::string& path) { return Sync(path, 0); }

absl::Status SyncFolder(const std::string& path) {
  return Sync(path, O_DIRECTORY);
}

}  // namespace meanfield

#include "coordinator/store/state_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/blob/files.h"

namespace meanfield::store {

namespace {

namespace fs = std::filesystem;

constexpr std::pair<uint32_t, std::string_view> kNetworkFileSystems[] = {
    {0x00006969, "NFS"},  {0x0000517B, "SMB"},    {0xFE534D42, "SMB2"},
    {0xFF534D42, "CIFS"}, {0x65735546, "FUSE"},   {0x0BD00BD0, "Lustre"},
    {0x47504653, "GPFS"}, {0x19830326, "BeeGFS"}, {0x00C36400, "Ceph"},
    {0x5346414F, "AFS"},  {0x73757245, "Coda"},   {0x7461636F, "OCFS2"},
};

std::string HostName() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown host";
  return name.data();
}

std::string Holder(int fd) {
  std::array<char, 512> text{};
  const ssize_t size = pread(fd, text.data(), text.size() - 1, 0);
  if (size <= 0) return "another process";
  std::string holder(text.data(), static_cast<size_t>(size));
  while (!holder.empty() && holder.back() == '\n') holder.pop_back();
  return holder;
}

absl::Status WriteHolder(int fd, const std::string& path) {
  const std::string text =
      StrCat("process ", getpid(), " on ", HostName(), "\n");
  if (ftruncate(fd, 0) != 0 || pwrite(fd, text.data(), text.size(), 0) !=
                                   static_cast<ssize_t>(text.size())) {
    return ErrnoStatus(errno, "write the lock file", path);
  }
  return absl::OkStatus();
}

}  // namespace

std::optional<std::string_view> NetworkFileSystem(uint32_t type) {
  for (const auto& [known, name] : kNetworkFileSystems) {
    if (known == type) return name;
  }
  return std::nullopt;
}

absl::Status CheckFileSystem(const std::string& folder) {
  std::error_code error;
  fs::path present = fs::absolute(folder, error);
  while (!fs::exists(present, error) && present.has_relative_path()) {
    present = present.parent_path();
  }
  struct statfs info {};
  if (statfs(present.c_str(), &info) != 0) {
    return ErrnoStatus(errno, "examine the file system of", present.string());
  }
  const auto name = NetworkFileSystem(static_cast<uint32_t>(info.f_type));
  if (!name.has_value()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      StrCat("the state directory ", folder, " is on a ", *name,
             " file system, where file locks and fsync cannot be relied upon: "
             "use a folder on a local disk, or allow it where you know that "
             "they work"));
}

absl::Status MakeFolder(const std::string& folder) {
  std::error_code error;
  const fs::path path = fs::absolute(folder, error).lexically_normal();
  if (fs::is_directory(path, error)) return absl::OkStatus();
  if (path.has_relative_path()) {
    MEANFIELD_RETURN_IF_ERROR(MakeFolder(path.parent_path().string()));
  }
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return ErrnoStatus(errno, "create folder", path.string());
  }
  if (!fs::is_directory(path, error)) {
    return absl::FailedPreconditionError(
        StrCat(path.string(), " is in the way: expected a folder"));
  }
  return SyncFolder(path.parent_path().string());
}

absl::StatusOr<std::unique_ptr<StateLock>> StateLock::Acquire(
    const std::string& folder) {
  const std::string path = StrCat(folder, "/lock");
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return ErrnoStatus(errno, "open the lock file", path);
  auto lock = std::unique_ptr<StateLock>(new StateLock(fd));
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return ErrnoStatus(errno, "lock", path);
    return absl::FailedPreconditionError(
        StrCat("the state directory ", folder, " is in use by ", Holder(fd),
               ": end that coordinator, or use another folder"));
  }
  MEANFIELD_RETURN_IF_ERROR(WriteHolder(fd, path));
  return lock;
}

StateLock::~StateLock() { close(fd_); }

}  // namespace meanfield::store

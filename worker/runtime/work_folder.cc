#include "worker/runtime/work_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "common/base/status.h"

namespace meanfield {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPrefix = "meanfield-worker-";
constexpr const char* kLockFile = "lock";

// A locked descriptor, or -1 (and errno): the file cannot be opened, or another
// process has the lock.
int TryLock(const fs::path& file, int flags) {
  const int fd = open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags,
                      S_IRUSR | S_IWUSR);
  if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
  const int error = errno;
  close(fd);
  errno = error;
  return -1;
}

// The lock file of a new folder appears under its name when it is locked, so
// that nobody takes the folder for a left-over.
absl::StatusOr<int> LockNewFolder(const fs::path& folder) {
  const fs::path fresh = folder / "lock.new";
  const int lock = TryLock(fresh, O_CREAT);
  if (lock < 0) return ErrnoStatus(errno, "lock", fresh.string());
  std::error_code error;
  fs::rename(fresh, folder / kLockFile, error);
  if (!error) return lock;
  close(lock);
  return ErrnoStatus(error.value(), "rename", fresh.string());
}

// Folders of killed workers. One without a lock file is just being made.
void RemoveLeftOvers(const fs::path& above) {
  std::error_code error;
  fs::directory_iterator entry(above, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (!entry->path().filename().string().starts_with(kPrefix)) continue;
    const int lock = TryLock(entry->path() / kLockFile, 0);
    if (lock < 0) continue;
    std::error_code ignored;  // it is in nobody's way
    fs::remove_all(entry->path(), ignored);
    close(lock);
  }
}

}  // namespace

absl::StatusOr<WorkFolder> WorkFolder::Create(const std::string& parent) {
  std::error_code error;
  const fs::path above =
      parent.empty() ? fs::temp_directory_path(error) : fs::path(parent);
  if (!error) fs::create_directories(above, error);
  if (error) {
    return ErrnoStatus(error.value(), "create the work folder", above.string());
  }
  RemoveLeftOvers(above);
  std::string path = (above / (std::string(kPrefix) + "XXXXXX")).string();
  if (mkdtemp(path.data()) == nullptr) {
    return ErrnoStatus(errno, "create a work folder in", above.string());
  }
  MEANFIELD_ASSIGN_OR_RETURN(const int lock, LockNewFolder(path));
  return WorkFolder(std::move(path), lock);
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;  // nobody is left to be told
  if (!path_.empty()) fs::remove_all(path_, ignored);
  if (lock_ >= 0) close(lock_);
}

std::string WorkFolder::File(std::string_view name) const {
  return (fs::path(path_) / name).string();
}

}  // namespace meanfield

#include "coordinator/report/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/blob/hash.h"

namespace meanfield::report {
namespace {

constexpr mode_t kFileMode = 0644;

bool Holds(const std::string& path, std::string_view bytes) {
  std::error_code error;
  if (std::filesystem::file_size(path, error) != bytes.size() || error) {
    return false;
  }
  std::ifstream file(path, std::ios::binary);
  const std::string held{std::istreambuf_iterator<char>(file),
                         std::istreambuf_iterator<char>()};
  return file.good() && held == bytes;
}

// A name beside `path`; what an interrupted call left there is overwritten.
std::string PartOf(const std::string& path) {
  return absl::StrCat(path, ".part");
}

absl::Status WriteAll(const std::string& path, std::string_view bytes) {
  const int file =
      open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kFileMode);
  if (file < 0) return ErrnoStatus(errno, "create", path);
  absl::Status status;
  while (!bytes.empty() && status.ok()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      status = ErrnoStatus(errno, "write", path);
    }
  }
  if (close(file) != 0 && status.ok()) {
    status = ErrnoStatus(errno, "close", path);
  }
  return status;
}

// Moves `part` to its place, or removes it.
absl::Status Finish(const absl::Status& written, const std::string& part,
                    const std::string& path) {
  absl::Status status = written;
  if (status.ok() && rename(part.c_str(), path.c_str()) != 0) {
    status = ErrnoStatus(errno, "put in place", path);
  }
  if (!status.ok()) unlink(part.c_str());
  return status;
}

bool IsSameFile(const std::string& a, const std::string& b) {
  struct stat first;
  struct stat second;
  return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

bool HoldsSameBytes(const std::string& a, const std::string& b) {
  std::error_code error;
  const auto size = std::filesystem::file_size(a, error);
  if (error || std::filesystem::file_size(b, error) != size || error) {
    return false;
  }
  const auto first = BlobIdOfFile(a);
  return first.ok() && first == BlobIdOfFile(b);
}

absl::Status Copy(const std::string& source, const std::string& path) {
  std::error_code error;
  std::filesystem::copy_file(
      source, path, std::filesystem::copy_options::overwrite_existing, error);
  if (error) {
    return ErrnoStatus(error.value(), absl::StrCat("copy ", source, " to"),
                       path);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteIfChanged(const std::string& path, std::string_view bytes) {
  if (Holds(path, bytes)) return absl::OkStatus();
  const std::string part = PartOf(path);
  return Finish(WriteAll(part, bytes), part, path);
}

absl::Status ReplaceIfChanged(
    const std::string& path,
    absl::FunctionRef<absl::Status(const std::string& part)> write) {
  const std::string part = PartOf(path);
  const absl::Status written = write(part);
  if (written.ok() && HoldsSameBytes(part, path)) {
    unlink(part.c_str());
    return absl::OkStatus();
  }
  return Finish(written, part, path);
}

absl::Status LinkOrCopy(const std::string& source, const std::string& path) {
  if (IsSameFile(source, path)) return absl::OkStatus();
  const std::string part = PartOf(path);
  unlink(part.c_str());
  if (link(source.c_str(), part.c_str()) == 0) {
    return Finish(absl::OkStatus(), part, path);
  }
  if (HoldsSameBytes(source, path)) return absl::OkStatus();
  return Finish(Copy(source, part), part, path);
}

}  // namespace meanfield::report

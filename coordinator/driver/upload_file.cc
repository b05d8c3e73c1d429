#include "coordinator/driver/upload_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/blob/hash.h"

namespace meanfield::driver {
namespace {

absl::Status CheckPlainFile(const std::string& path, const Blob& expected) {
  struct stat info;
  if (lstat(path.c_str(), &info) != 0) {
    return ErrnoStatus(errno, "look at an uploaded output", path);
  }
  if (!S_ISREG(info.st_mode) || info.st_uid != geteuid() ||
      info.st_nlink != 1) {
    return absl::PermissionDeniedError(absl::StrCat(
        path, " is not a plain file of this user with one name: mode ",
        absl::Hex(info.st_mode), ", owner ", info.st_uid, ", names ",
        info.st_nlink));
  }
  if (static_cast<uint64_t>(info.st_size) != expected.size) {
    return absl::DataLossError(absl::StrCat("the uploaded output has ",
                                            info.st_size, " bytes, expected ",
                                            expected.size));
  }
  return absl::OkStatus();
}

absl::Status CheckHash(const std::string& path, const Blob& expected) {
  MEANFIELD_ASSIGN_OR_RETURN(const std::string id, BlobIdOfFile(path));
  if (id == expected.id) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("the uploaded output is ", id,
                                          ", expected ", expected.id,
                                          ": send it again"));
}

absl::Status Seal(const std::string& path, const Blob& expected,
                  const std::string& sealed_path) {
  MEANFIELD_RETURN_IF_ERROR(CheckPlainFile(path, expected));
  // Closed to writers first, so that what is hashed is what is read later.
  if (chmod(path.c_str(), S_IRUSR) != 0) {
    return ErrnoStatus(errno, "make an uploaded output read-only", path);
  }
  MEANFIELD_RETURN_IF_ERROR(CheckHash(path, expected));
  if (rename(path.c_str(), sealed_path.c_str()) != 0) {
    return ErrnoStatus(errno, "move an uploaded output", sealed_path);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status MakePrivateFolder(const std::string& folder) {
  if (mkdir(folder.c_str(), S_IRWXU) == 0 || errno == EEXIST) {
    return absl::OkStatus();
  }
  return ErrnoStatus(errno, "create the folder", folder);
}

absl::Status SealFile(const std::string& path, const Blob& expected,
                      const std::string& sealed_path) {
  const absl::Status status = Seal(path, expected, sealed_path);
  if (!status.ok()) RemoveFile(path);
  return status;
}

void RemoveFile(const std::string& path) {
  std::error_code error;
  std::filesystem::remove(path, error);
  if (error) {
    Log(LogLevel::kWarning, "file_not_removed",
        {{"path", path}, {"reason", error.message()}});
  }
}

}  // namespace meanfield::driver

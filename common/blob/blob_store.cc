#include "common/blob/blob_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/blob/files.h"
#include "common/blob/hash.h"

namespace meanfield {
namespace {

absl::Status CheckId(const Blob& blob) {
  if (IsBlobId(blob.id)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("\"", blob.id, "\" is not a blob's name (xxh3-<32 hex digits>)"));
}

absl::Status SizeFault(const Blob& blob, uint64_t seen,
                       const std::string& path) {
  return absl::DataLossError(StrCat(path, " has ", seen, " bytes, blob ",
                                    blob.id, " has ", blob.size));
}

absl::Status HashFault(const Blob& blob, std::string_view seen,
                       const std::string& path) {
  return absl::DataLossError(StrCat("the bytes of ", path, " hash to ", seen,
                                    ", expected blob ", blob.id));
}

}  // namespace

absl::StatusOr<BlobStore> BlobStore::Open(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return ErrnoStatus(error.value(), "create folder", folder);
  if (!std::filesystem::is_directory(folder, error)) {
    return absl::FailedPreconditionError(
        StrCat(folder, " is not a folder: expected one for blobs"));
  }
  return BlobStore(folder);
}

std::string BlobStore::NewTemporary() const {
  // Unique in this process; what an earlier process with this number left
  // behind is stepped over.
  static std::atomic<uint64_t> next = 0;
  std::string path;
  do {
    path = StrCat(folder_, "/", kTemporaryPrefix, getpid(), "-", next++);
  } while (access(path.c_str(), F_OK) == 0);
  return path;
}

absl::Status BlobStore::Install(const std::string& path, const std::string& id,
                                Durability durability) const {
  // Results for users are further names of the same files: an edit in place
  // must not damage what a run goes on from.
  if (chmod(path.c_str(), S_IRUSR | S_IRGRP | S_IROTH) != 0) {
    return ErrnoStatus(errno, "make read-only", path);
  }
  // Always renamed, also over a blob of that name: the bytes are equal unless
  // the old ones have rotted.
  if (durability == Durability::kDurable) {
    MEANFIELD_RETURN_IF_ERROR(SyncFile(path));
  }
  MEANFIELD_RETURN_IF_ERROR(RenameFile(path, StrCat(folder_, "/", id)));
  if (durability == Durability::kDurable) return SyncFolder(folder_);
  return absl::OkStatus();
}

absl::StatusOr<Blob> BlobStore::Put(std::span<const std::byte> bytes,
                                    Durability durability) {
  Blob blob{BlobIdOf(bytes), bytes.size()};
  std::string path;
  absl::Status status;
  do {
    path = NewTemporary();
    status = WriteNewFile(path, bytes);
  } while (absl::IsAlreadyExists(status));
  if (status.ok()) {
    status = Install(path, blob.id, durability);
    if (!status.ok()) unlink(path.c_str());
  }
  if (!status.ok()) {
    return Annotate(
        status, StrCat("blob of ", blob.size, " bytes in folder ", folder_));
  }
  return blob;
}

absl::StatusOr<Blob> BlobStore::Put(std::string_view text,
                                    Durability durability) {
  return Put(std::as_bytes(std::span(text)), durability);
}

absl::StatusOr<Blob> BlobStore::Adopt(const std::string& path,
                                      Durability durability) {
  MEANFIELD_ASSIGN_OR_RETURN(const uint64_t size, RegularFileSize(path));
  MEANFIELD_ASSIGN_OR_RETURN(std::string id, BlobIdOfFile(path));
  MEANFIELD_RETURN_IF_ERROR(Install(path, id, durability));
  return Blob{std::move(id), size};
}

absl::Status BlobStore::AdoptAs(const Blob& expected, const std::string& path,
                                Durability durability) {
  MEANFIELD_RETURN_IF_ERROR(CheckId(expected));
  MEANFIELD_ASSIGN_OR_RETURN(const uint64_t size, RegularFileSize(path));
  if (size != expected.size) return SizeFault(expected, size, path);
  MEANFIELD_ASSIGN_OR_RETURN(const std::string id, BlobIdOfFile(path));
  if (id != expected.id) return HashFault(expected, id, path);
  return Install(path, id, durability);
}

bool BlobStore::Contains(const Blob& blob) const { return Path(blob).ok(); }

absl::StatusOr<std::string> BlobStore::Path(const Blob& blob) const {
  MEANFIELD_RETURN_IF_ERROR(CheckId(blob));
  std::string path = StrCat(folder_, "/", blob.id);
  const absl::StatusOr<uint64_t> size = RegularFileSize(path);
  if (absl::IsNotFound(size.status())) {
    return absl::NotFoundError(
        StrCat("no blob ", blob.id, " in folder ", folder_));
  }
  if (!size.ok()) return size.status();
  if (*size != blob.size) return SizeFault(blob, *size, path);
  return path;
}

absl::StatusOr<std::string> BlobStore::Read(const Blob& blob) const {
  MEANFIELD_ASSIGN_OR_RETURN(const std::string path, Path(blob));
  MEANFIELD_ASSIGN_OR_RETURN(std::string bytes, ReadWholeFile(path));
  const std::string id = BlobIdOf(std::as_bytes(std::span(bytes)));
  if (id != blob.id) return HashFault(blob, id, path);
  return bytes;
}

absl::Status BlobStore::Remove(const Blob& blob) {
  MEANFIELD_RETURN_IF_ERROR(CheckId(blob));
  const std::string path = StrCat(folder_, "/", blob.id);
  if (unlink(path.c_str()) != 0) return ErrnoStatus(errno, "remove", path);
  return absl::OkStatus();
}

}  // namespace meanfield

#ifndef MEANFIELD_COMMON_BLOB_FILES_H_
#define MEANFIELD_COMMON_BLOB_FILES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace meanfield {

// Writes a file that must not be there yet; ALREADY_EXISTS where it is. What a
// failed write left is removed.
absl::Status WriteNewFile(const std::string& path,
                          std::span<const std::byte> bytes);

// The bytes of a regular file.
absl::StatusOr<std::string> ReadWholeFile(const std::string& path);

// Size of a regular file (no link is followed). NOT_FOUND, or
// FAILED_PRECONDITION for what is not a regular file.
absl::StatusOr<uint64_t> RegularFileSize(const std::string& path);

// Replaces `to`.
absl::Status RenameFile(const std::string& from, const std::string& to);

// Waits until the disk has the file's bytes, or the folder's names.
absl::Status SyncFile(const std::string& path);
absl::Status SyncFolder(const std::string& path);

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_BLOB_FILES_H_

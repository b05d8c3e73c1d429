#ifndef MEANFIELD_COORDINATOR_DRIVER_UPLOAD_FILE_H_
#define MEANFIELD_COORDINATOR_DRIVER_UPLOAD_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "common/blob/blob_store.h"

namespace meanfield::driver {

// Creates a folder that only this user may enter, where it is missing.
absl::Status MakePrivateFolder(const std::string& folder);

// Seals a file that came from outside: it must be a regular file of this user
// with no other name, and its bytes `expected`; it becomes read-only and moves
// to `sealed_path`. DATA_LOSS where size or hash differ, PERMISSION_DENIED for
// anything but a plain file of ours; `path` is gone in both cases.
absl::Status SealFile(const std::string& path, const Blob& expected,
                      const std::string& sealed_path);

// Missing is fine.
void RemoveFile(const std::string& path);

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_UPLOAD_FILE_H_

#ifndef MEANFIELD_COORDINATOR_DRIVER_LEASE_TABLE_H_
#define MEANFIELD_COORDINATOR_DRIVER_LEASE_TABLE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/mutex.h"
#include "common/blob/blob_store.h"

namespace meanfield::driver {

// A process of a worker: its name and incarnation. Leases belong to it, not to
// a session, so that a finished result survives a reconnect.
using WorkerProcess = std::pair<std::string, uint64_t>;

// What a lease allows its worker.
struct LeaseGrant {
  WorkerProcess holder;
  std::vector<Blob> readable;
  // Where its output arrives: a folder that exists, and how the names of its
  // files begin. Leases of the same unit to the same process share the names,
  // so that an upload goes on after a reconnect.
  std::string folder;
  std::string stem;
  uint64_t max_output_bytes = 0;
};

// Who may read and write what: sessions, leases and the files of their outputs.
// The one part of the driver that other threads look into, so that a transfer
// never waits for the actor. Thread-safe; no lock is held while a file is read.
class LeaseTable {
 public:
  // Unknown tokens are UNAUTHENTICATED everywhere below. A session of the same
  // name and an older or the same incarnation ends; a newer one refuses this:
  // FAILED_PRECONDITION.
  absl::Status AddSession(const std::string& token,
                          const WorkerProcess& worker);
  void RemoveSession(const std::string& token);

  void Add(uint64_t lease, LeaseGrant grant);
  // The files of these leases go, too (on the caller's thread).
  void Remove(const std::vector<uint64_t>& leases);

  // PERMISSION_DENIED where no lease of the session's worker names the blob.
  absl::StatusOr<Blob> Readable(const std::string& token,
                                const std::string& blob_id) const;

  // The file to write the output to. NOT_FOUND: not, or no longer, a lease of
  // this worker. RESOURCE_EXHAUSTED: larger than such an output can be. Once
  // sealed, the complete file.
  absl::StatusOr<std::string> UploadPath(const std::string& token,
                                         uint64_t lease, const Blob& output);
  // See SealFile. Sealing the same output again is OK.
  absl::Status Seal(const std::string& token, uint64_t lease,
                    const Blob& output);
  // FAILED_PRECONDITION where the output was not sealed before.
  absl::StatusOr<std::string> SealedPath(uint64_t lease,
                                         const Blob& output) const;

 private:
  struct Entry {
    LeaseGrant grant;
    Blob output;          // of the upload begun
    std::string path;     // empty: no upload begun
    bool sealed = false;  // then `path` is the complete, checked file
    bool being_sealed = false;
  };
  absl::StatusOr<Entry*> Find(const std::string& token, uint64_t lease)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The file to seal; absent: it was sealed before.
  absl::StatusOr<std::optional<std::string>> BeginSeal(const std::string& token,
                                                       uint64_t lease,
                                                       const Blob& output);
  absl::Status EndSeal(uint64_t lease, const std::string& sealed_path,
                       const absl::Status& status);
  bool IsUsed(const std::string& path) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  std::map<std::string, WorkerProcess, std::less<>> sessions_
      ABSL_GUARDED_BY(mutex_);
  std::map<uint64_t, Entry> leases_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_LEASE_TABLE_H_

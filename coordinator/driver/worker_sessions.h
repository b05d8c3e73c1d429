#ifndef MEANFIELD_COORDINATOR_DRIVER_WORKER_SESSIONS_H_
#define MEANFIELD_COORDINATOR_DRIVER_WORKER_SESSIONS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "coordinator/driver/worker_link.h"
#include "proto/plan.pb.h"

namespace meanfield::driver {

// The coordinator as its workers see it; what the service calls for them.
// Implemented by Coordinator, and by fakes in tests. Thread-safe. A session
// that does not exist (any more) is UNAUTHENTICATED where a status is returned,
// and ignored elsewhere.
class WorkerSessions {
 public:
  virtual ~WorkerSessions() = default;

  // A session token: 128 random bits, hex. A session of the same name and an
  // older or the same incarnation ends (an older one's link is dismissed); a
  // newer one that lives refuses this one: FAILED_PRECONDITION names both.
  virtual absl::StatusOr<std::string> Join(
      const WorkerIdentity& worker, std::shared_ptr<WorkerLink> link) = 0;
  // The stream ended. Leases of the session are given back.
  virtual void Leave(const std::string& session, const absl::Status& why) = 0;

  struct Progress {
    uint64_t lease = 0;
    uint64_t steps_done = 0;
    uint64_t tokens_done = 0;
    double loss_sum = 0;
    uint64_t loss_count = 0;
  };
  virtual void OnProgress(const std::string& session,
                          const Progress& progress) = 0;
  // The output was sealed before (SealUpload). May come twice.
  virtual void OnResult(const std::string& session, uint64_t lease,
                        const proto::UnitResult& result) = 0;
  virtual void OnFailure(const std::string& session, uint64_t lease,
                         const absl::Status& status) = 0;

  // Path of a blob that a lease of this session names; PERMISSION_DENIED
  // otherwise.
  virtual absl::StatusOr<std::string> ReadableBlob(
      const std::string& session, const std::string& blob_id) = 0;
  // Where the service collects the output of a lease: a file below the run's
  // folder, which may not exist yet; the same path for the same unit and
  // output, so that another session can resume it. Sealed before: the path of
  // the complete file. NOT_FOUND: no such lease (any more), the worker drops
  // the result. RESOURCE_EXHAUSTED: larger than an output of this unit can be.
  virtual absl::StatusOr<std::string> UploadPath(
      const std::string& session, uint64_t lease,
      const proto::BlobRef& output) = 0;
  // All bytes are in and the file is closed: size and hash are checked, the
  // file becomes the coordinator's own. DATA_LOSS where they differ (the file
  // is deleted). OK again for an output sealed before. May take as long as
  // hashing the file.
  virtual absl::Status SealUpload(const std::string& session, uint64_t lease,
                                  const proto::BlobRef& output) = 0;
};

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_WORKER_SESSIONS_H_

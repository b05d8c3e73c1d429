#ifndef MEANFIELD_COORDINATOR_CLI_COORDINATOR_CLIENT_H_
#define MEANFIELD_COORDINATOR_CLI_COORDINATOR_CLIENT_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/mutex.h"
#include "common/blob/blob_store.h"
#include "proto/coordinator.grpc.pb.h"
#include "proto/coordinator.pb.h"
#include "proto/event.pb.h"

namespace meanfield::cli {

// Calls on a running coordinator. Each names the coordinator where it fails:
// UNAVAILABLE or DEADLINE_EXCEEDED where it cannot be reached, otherwise the
// code and text that it answered.
class CoordinatorClient {
 public:
  // INVALID_ARGUMENT unless "host:port". Connects with the first call.
  static absl::StatusOr<std::unique_ptr<CoordinatorClient>> Create(
      const std::string& address);

  // The id of the new run.
  absl::StatusOr<std::string> Submit(const proto::SubmitRequest& request);
  absl::StatusOr<proto::ListRunsResponse> ListRuns();
  absl::StatusOr<proto::RunDetails> GetRun(const std::string& run);
  absl::StatusOr<proto::ListWorkersResponse> ListWorkers();
  absl::Status Cancel(const std::string& run, const std::string& reason);

  // Writes a blob that the run's records name to `path`; what that file holds
  // of it already is not asked for again. Its hash is for the caller to check.
  absl::Status ReadRunBlob(const std::string& run, const Blob& blob,
                           const std::string& path);

  // The run's events from the first on, then live ones, on the calling thread,
  // until RunEvent::Ended or StopWatching.
  absl::Status Watch(const std::string& run,
                     const std::function<void(const proto::RunEvent&)>& show);
  // From any thread, also before Watch: that one returns CANCELLED.
  void StopWatching();

 private:
  explicit CoordinatorClient(const std::string& address);

  const std::string address_;
  std::unique_ptr<proto::Coordinator::Stub> stub_;
  Mutex mutex_;
  grpc::ClientContext* watching_ ABSL_GUARDED_BY(mutex_) = nullptr;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_COORDINATOR_CLIENT_H_

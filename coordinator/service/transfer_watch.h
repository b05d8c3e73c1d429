#ifndef MEANFIELD_COORDINATOR_SERVICE_TRANSFER_WATCH_H_
#define MEANFIELD_COORDINATOR_SERVICE_TRANSFER_WATCH_H_

#include <optional>

#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "coordinator/service/call_environment.h"
#include "coordinator/service/live_calls.h"
#include "grpcpp/server_context.h"

namespace meanfield::service {

// Cuts a file transfer off whose peer stands still, and at a drain: the call's
// open read or write then fails, and the call ends itself.
class TransferWatch : public LiveCall {
 public:
  TransferWatch(CallEnvironment& environment,
                grpc::CallbackServerContext* context);
  // The call must be done.
  ~TransferWatch() override;

  void PeerTurn();  // before a read or write is started
  void OwnTurn();   // when it is done
  // Once draining, the status to end with.
  std::optional<absl::Status> drained();

  void Sweep(absl::Time now) override;
  void Drain(const absl::Status& why) override;

 private:
  CallEnvironment& environment_;
  grpc::CallbackServerContext* const context_;
  Mutex mutex_;
  // Since when the peer has been waited for.
  std::optional<absl::Time> waiting_ ABSL_GUARDED_BY(mutex_);
  std::optional<absl::Status> drained_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace meanfield::service

#endif  // MEANFIELD_COORDINATOR_SERVICE_TRANSFER_WATCH_H_

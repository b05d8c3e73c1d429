#ifndef MEANFIELD_COORDINATOR_SERVICE_WORK_STREAM_H_
#define MEANFIELD_COORDINATOR_SERVICE_WORK_STREAM_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "coordinator/driver/worker_link.h"
#include "coordinator/service/call_environment.h"
#include "coordinator/service/live_calls.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/server_callback.h"
#include "proto/coordinator.pb.h"

namespace meanfield::service {

// The stream of one worker: Hello, then messages both ways until either side
// ends it. One read is open at a time and one message is handled at a time, in
// order, on an io thread; one write is in flight, the others wait in a bounded
// queue. The driver may hold the link longer than the call lives.
class WorkStream : public grpc::ServerBidiReactor<proto::WorkerMessage,
                                                  proto::CoordinatorMessage>,
                   public driver::WorkerLink,
                   public LiveCall,
                   public std::enable_shared_from_this<WorkStream> {
 public:
  WorkStream(CallEnvironment& environment,
             grpc::CallbackServerContext* context);
  // Reads the first message. The call keeps its object alive.
  void Begin();

  // driver::WorkerLink
  void Assign(uint64_t lease, const proto::Unit& unit) override;
  void Cancel(uint64_t lease, std::string_view reason) override;
  void Dismiss(std::string_view reason) override;  // and LiveCall

  // LiveCall
  void Sweep(absl::Time now) override;
  void Drain(const absl::Status& why) override;

  // grpc::ServerBidiReactor
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  enum class Queued { kSend, kDrop };

  void Send(proto::CoordinatorMessage message);
  // Handles in_ on an io thread, then reads on.
  void Handle();
  absl::Status Process();
  absl::Status Join(const proto::Hello& hello);
  absl::Status Report(const std::string& session);

  void ReadNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The first call decides the status; tells the driver.
  void End(const absl::Status& why, Queued queued)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Starts the next write, or finishes the call where nothing is left to do.
  void Pump() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void PostLeave(const absl::Status& why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  CallEnvironment& environment_;                // until OnDone
  grpc::CallbackServerContext* const context_;  // until OnDone
  std::shared_ptr<WorkStream> self_;            // until OnDone
  proto::WorkerMessage in_;                     // by the read or the handler
  proto::CoordinatorMessage out_;               // of the write in flight

  Mutex mutex_;
  std::string worker_ ABSL_GUARDED_BY(mutex_);   // for messages
  std::string session_ ABSL_GUARDED_BY(mutex_);  // empty before Welcome
  // Held back until Welcome stands at its head.
  std::deque<proto::CoordinatorMessage> queue_ ABSL_GUARDED_BY(mutex_);
  bool open_ ABSL_GUARDED_BY(mutex_) = false;
  bool reading_ ABSL_GUARDED_BY(mutex_) = false;
  bool handling_ ABSL_GUARDED_BY(mutex_) = false;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Time heard_ ABSL_GUARDED_BY(mutex_);
  std::optional<absl::Status> end_ ABSL_GUARDED_BY(mutex_);
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace meanfield::service

#endif  // MEANFIELD_COORDINATOR_SERVICE_WORK_STREAM_H_

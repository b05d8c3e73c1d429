#ifndef MEANFIELD_WORKER_RUNTIME_CONNECTION_H_
#define MEANFIELD_WORKER_RUNTIME_CONNECTION_H_

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "common/rpc/channel.h"
#include "common/time/clock.h"
#include "grpcpp/client_context.h"
#include "grpcpp/support/sync_stream.h"
#include "proto/coordinator.grpc.pb.h"
#include "worker/runtime/backoff.h"
#include "worker/runtime/lease_desk.h"

namespace meanfield {

// Keeps the worker's stream to the coordinator open, from a thread of its own:
// dials, says Hello, lays what comes on the desk, and dials again with backoff
// when the stream breaks. Public methods are thread-safe.
class Connection {
 public:
  struct Options {
    std::string address;  // host:port
    proto::Hello hello;
    absl::Duration give_up_after;
    rpc::Keepalive keepalive;
  };
  // Clock and desk outlive the connection.
  Connection(Options options, Clock& clock, LeaseDesk& desk);
  // Closes the stream (the coordinator sees its end) and joins the thread.
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // False where no stream is open; true does not mean that it arrived.
  bool Send(const proto::WorkerMessage& message);
  absl::Duration heartbeat() const;  // between two messages

  // Calls `attempt` with a session token until it succeeds or fails for good:
  // after a broken connection, or with the token of a session that is over, it
  // is called again, when there is a session. Bytes that arrive damaged are
  // tried three times. CANCELLED when stopped.
  absl::Status Retry(
      std::stop_token stop,
      absl::FunctionRef<absl::Status(const std::string& token)> attempt);

  // Of the stream that was dialled last. For use within an attempt.
  std::shared_ptr<proto::Coordinator::Stub> stub() const;
  Clock& clock() { return clock_; }

 private:
  using Stream =
      grpc::ClientReaderWriter<proto::WorkerMessage, proto::CoordinatorMessage>;

  void Run(std::stop_token stop);
  // One stream, from dialling to its end.
  absl::Status Converse(std::stop_token stop);
  // Says in the log that it waits, once an outage.
  void TellOnce(const absl::Status& ended, absl::Duration left);
  void ReadAll(Stream& stream);
  void Handle(const proto::CoordinatorMessage& message);
  void OnWelcome(const proto::Welcome& welcome);
  absl::StatusOr<std::string> WaitForSession(std::stop_token stop);
  // Wakes the thread wherever it waits, at the latest after two seconds.
  void Close();

  const Options options_;
  Clock& clock_;
  LeaseDesk& desk_;

  Mutex write_mutex_;  // one write at a time
  Stream* stream_ ABSL_GUARDED_BY(write_mutex_) = nullptr;  // null: not open

  mutable Mutex mutex_;
  CondVar changed_;
  // A channel for each stream: one that failed would wait by its own rules
  // (up to half a minute) before it dials again, not by backoff_.
  std::shared_ptr<proto::Coordinator::Stub> stub_ ABSL_GUARDED_BY(mutex_);
  grpc::ClientContext* context_ ABSL_GUARDED_BY(mutex_) = nullptr;
  std::string session_ ABSL_GUARDED_BY(mutex_);  // empty: none
  absl::Time last_contact_ ABSL_GUARDED_BY(mutex_);
  absl::Duration heartbeat_ ABSL_GUARDED_BY(mutex_) = absl::Seconds(1);
  bool dismissed_ ABSL_GUARDED_BY(mutex_) = false;
  Backoff backoff_;           // of the thread
  bool outage_told_ = false;  // of the thread

  std::jthread thread_;  // last: uses the others
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_RUNTIME_CONNECTION_H_

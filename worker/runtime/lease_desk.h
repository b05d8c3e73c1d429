#ifndef MEANFIELD_WORKER_RUNTIME_LEASE_DESK_H_
#define MEANFIELD_WORKER_RUNTIME_LEASE_DESK_H_

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "absl/status/statusor.h"
#include "common/base/mutex.h"
#include "proto/coordinator.pb.h"
#include "worker/trainer/local_trainer.h"

namespace meanfield {

// Equal kind, numbers and blobs: equal results.
bool SameUnit(const proto::Unit& a, const proto::Unit& b);

// Where the threads of a worker meet: the connection lays down what the
// coordinator said, the main thread takes it up, the heartbeat reads how far
// the unit is. Thread-safe.
class LeaseDesk {
 public:
  // ---- by the connection
  // A new stream is open.
  void OnSession();
  // Waits for the main thread; stops a unit in progress, unless it is the same
  // one, which then goes on under the new number.
  void OnLease(const proto::Lease& lease);
  // Stops the unit in progress where it has this number. False where the lease
  // is not with the main thread: the caller answers for it.
  bool OnCancel(uint64_t lease, const std::string& reason);
  // The worker ends, OK when dismissed. Stops a unit in progress. The first
  // call counts.
  void OnEnd(const absl::Status& why);

  // ---- by the heartbeat
  // Of the unit in progress.
  std::optional<proto::Progress> progress() const;

  // ---- by the main thread
  // How the coordinator and the worker stand to the unit in progress.
  enum class Stopped {
    kNo,
    kCancelled,  // to be answered
    kReplaced,   // nobody waits for an answer
    kEnded,      // the worker ends
  };
  struct Standing {
    uint64_t lease = 0;
    Stopped stopped = Stopped::kNo;
    std::string reason;  // of kCancelled

    friend bool operator==(const Standing&, const Standing&) = default;
  };
  // Waits for the next event: how the worker ends; or that a new session began
  // (which comes before its leases); or a lease, whose unit is in progress from
  // here to Finish.
  struct Event {
    std::optional<absl::Status> end;
    std::optional<proto::Lease> lease;
    std::stop_token stop;  // of the lease's unit
  };
  Event Next();
  // Says when the worker ends, with or without a unit.
  std::stop_token end_token() const { return end_stop_.get_token(); }
  void Report(const StepProgress& progress);
  Standing standing() const;
  // False where the standing has changed since it was answered: answer again.
  bool Finish(const Standing& answered);

 private:
  struct Active {
    proto::Unit unit;
    Standing standing;
    std::stop_source stop;
    StepProgress progress;
  };
  // The source to stop, without the lock: its callbacks may be anything.
  std::stop_source StopActive(Stopped why)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  CondVar changed_;
  std::stop_source end_stop_;
  bool new_session_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<proto::Lease> pending_ ABSL_GUARDED_BY(mutex_);
  std::optional<absl::Status> end_ ABSL_GUARDED_BY(mutex_);
  std::optional<Active> active_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_RUNTIME_LEASE_DESK_H_

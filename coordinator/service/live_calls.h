#ifndef MEANFIELD_COORDINATOR_SERVICE_LIVE_CALLS_H_
#define MEANFIELD_COORDINATOR_SERVICE_LIVE_CALLS_H_

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "common/time/clock.h"

namespace meanfield::service {

// A streaming call as its server sees it. Called with the set's lock held, so
// an implementation calls back into the set from other threads only.
class LiveCall {
 public:
  virtual ~LiveCall() = default;
  // Ends itself where the peer has been silent for too long.
  virtual void Sweep(absl::Time now) = 0;
  // Ends with this status, after what is queued.
  virtual void Drain(const absl::Status& why) = 0;
  // Sends a worker home.
  virtual void Dismiss(std::string_view /*reason*/) {}
};

// The open streaming calls of one kind.
class LiveCalls {
 public:
  // False once draining: the call ends at once.
  bool Add(LiveCall* call);
  void Remove(LiveCall* call);

  void Sweep(absl::Time now);
  void Drain(const absl::Status& why);
  void Dismiss(std::string_view reason);
  // Why newcomers are dismissed, once Dismiss was called.
  std::optional<std::string> dismissal();
  // False where calls are left at the deadline.
  bool WaitUntilEmpty(Clock& clock, absl::Time deadline);

 private:
  Mutex mutex_;
  CondVar changed_;
  std::set<LiveCall*> calls_ ABSL_GUARDED_BY(mutex_);
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<std::string> dismissal_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace meanfield::service

#endif  // MEANFIELD_COORDINATOR_SERVICE_LIVE_CALLS_H_

#include "coordinator/service/live_calls.h"

#include "common/time/timed_wait.h"

namespace meanfield::service {

bool LiveCalls::Add(LiveCall* call) {
  const MutexLock lock(mutex_);
  if (draining_) return false;
  calls_.insert(call);
  return true;
}

void LiveCalls::Remove(LiveCall* call) {
  const MutexLock lock(mutex_);
  calls_.erase(call);
  changed_.NotifyAll();
}

void LiveCalls::Sweep(absl::Time now) {
  const MutexLock lock(mutex_);
  for (LiveCall* call : calls_) call->Sweep(now);
}

void LiveCalls::Drain(const absl::Status& why) {
  const MutexLock lock(mutex_);
  draining_ = true;
  for (LiveCall* call : calls_) call->Drain(why);
}

void LiveCalls::Dismiss(std::string_view reason) {
  const MutexLock lock(mutex_);
  dismissal_ = std::string(reason);
  for (LiveCall* call : calls_) call->Dismiss(reason);
}

std::optional<std::string> LiveCalls::dismissal() {
  const MutexLock lock(mutex_);
  return dismissal_;
}

bool LiveCalls::WaitUntilEmpty(Clock& clock, absl::Time deadline) {
  const MutexLock lock(mutex_);
  return WaitUntil(
      clock, deadline, mutex_, changed_,
      [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return calls_.empty(); });
}

}  // namespace meanfield::service

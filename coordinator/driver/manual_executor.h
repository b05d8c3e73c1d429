#ifndef MEANFIELD_COORDINATOR_DRIVER_MANUAL_EXECUTOR_H_
#define MEANFIELD_COORDINATOR_DRIVER_MANUAL_EXECUTOR_H_

#include <deque>

#include "absl/functional/any_invocable.h"
#include "coordinator/driver/executor.h"

namespace meanfield::driver {

// Runs only when told, on the caller's thread: a whole job becomes one
// repeatable single-threaded program. One thread only.
class ManualExecutor : public Executor {
 public:
  void Post(absl::AnyInvocable<void()> closure) override {
    queue_.push_back(std::move(closure));
  }
  void Drain() override {
    while (RunNext()) {
    }
  }
  // Runs the oldest closure; false when there is none.
  bool RunNext() {
    if (queue_.empty()) return false;
    absl::AnyInvocable<void()> closure = std::move(queue_.front());
    queue_.pop_front();
    closure();
    return true;
  }

 private:
  std::deque<absl::AnyInvocable<void()>> queue_;
};

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_MANUAL_EXECUTOR_H_

#ifndef MEANFIELD_COORDINATOR_DRIVER_EXECUTOR_H_
#define MEANFIELD_COORDINATOR_DRIVER_EXECUTOR_H_

#include "absl/functional/any_invocable.h"

namespace meanfield::driver {

// Runs closures one at a time, in the order posted. Post may be called on any
// thread, also from a closure.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual void Post(absl::AnyInvocable<void()> closure) = 0;
  // Returns when nothing is queued and nothing runs. Not from a closure.
  virtual void Drain() = 0;
};

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_EXECUTOR_H_

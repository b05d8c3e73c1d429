#ifndef MEANFIELD_COMMON_TIME_CLOCK_H_
#define MEANFIELD_COMMON_TIME_CLOCK_H_

#include <memory>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"

namespace meanfield {

// The destructor cancels; after it returns the closure does not run and is not
// running (unless it is the closure itself that destroys the alarm).
class Alarm {
 public:
  virtual ~Alarm() = default;
};

// The only source of time. Real in programs, simulated in tests. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  // Never steps back: for deadlines, leases and durations.
  virtual absl::Time Now() = 0;
  // Wall time: for records and logs only.
  virtual absl::Time WallNow() = 0;
  // Runs `closure` once at or after `when`, on the clock's thread; it must be
  // short and may schedule further alarms.
  virtual std::unique_ptr<Alarm> ScheduleAt(
      absl::Time when, absl::AnyInvocable<void()> closure) = 0;
};

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_TIME_CLOCK_H_

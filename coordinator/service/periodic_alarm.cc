#include "coordinator/service/periodic_alarm.h"

#include <utility>

namespace meanfield::service {

PeriodicAlarm::PeriodicAlarm(Clock& clock, absl::Duration interval,
                             std::function<void()> closure)
    : clock_(clock), interval_(interval), closure_(std::move(closure)) {
  Arm();
}

PeriodicAlarm::~PeriodicAlarm() {
  std::unique_ptr<Alarm> last;
  const MutexLock lock(mutex_);
  stopped_ = true;
  // Destroyed without the lock, as it waits for a closure that may want it.
  last = std::move(alarm_);
}

void PeriodicAlarm::Arm() {
  const MutexLock lock(mutex_);
  if (stopped_) return;
  // The alarm that runs this closure may be replaced in it.
  alarm_ = clock_.ScheduleAt(clock_.Now() + interval_, [this] {
    closure_();
    Arm();
  });
}

}  // namespace meanfield::service

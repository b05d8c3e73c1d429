#ifndef MEANFIELD_COORDINATOR_SERVICE_PERIODIC_ALARM_H_
#define MEANFIELD_COORDINATOR_SERVICE_PERIODIC_ALARM_H_

#include <functional>
#include <memory>

#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "common/time/clock.h"

namespace meanfield::service {

// Runs a closure every so often on the clock's thread. After the destructor it
// does not run and is not running.
class PeriodicAlarm {
 public:
  PeriodicAlarm(Clock& clock, absl::Duration interval,
                std::function<void()> closure);
  ~PeriodicAlarm();
  PeriodicAlarm(const PeriodicAlarm&) = delete;
  PeriodicAlarm& operator=(const PeriodicAlarm&) = delete;

 private:
  void Arm();

  Clock& clock_;
  const absl::Duration interval_;
  const std::function<void()> closure_;
  Mutex mutex_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::unique_ptr<Alarm> alarm_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace meanfield::service

#endif  // MEANFIELD_COORDINATOR_SERVICE_PERIODIC_ALARM_H_

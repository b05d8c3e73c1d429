#ifndef MEANFIELD_COMMON_TIME_SIMULATED_CLOCK_H_
#define MEANFIELD_COMMON_TIME_SIMULATED_CLOCK_H_

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "common/time/clock.h"

namespace meanfield {

// Time that moves only when told. Alarms run on the caller's thread, in order
// of time, then of scheduling. One thread only.
class SimulatedClock : public Clock {
 public:
  absl::Time Now() override { return now_; }
  absl::Time WallNow() override { return now_; }
  std::unique_ptr<Alarm> ScheduleAt(
      absl::Time when, absl::AnyInvocable<void()> closure) override;

  // Runs every alarm due up to now + duration, with Now() at its time.
  void Advance(absl::Duration duration);
  // Runs the next alarm; false when there is none.
  bool RunNext();

 private:
  friend class SimulatedAlarm;
  using Key = std::pair<absl::Time, uint64_t>;
  absl::Time now_ = absl::UnixEpoch();
  uint64_t next_ = 0;
  std::map<Key, absl::AnyInvocable<void()>> alarms_;
};

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_TIME_SIMULATED_CLOCK_H_

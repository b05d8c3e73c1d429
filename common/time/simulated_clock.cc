#include "common/time/simulated_clock.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"

namespace meanfield {

class SimulatedAlarm : public Alarm {
 public:
  SimulatedAlarm(SimulatedClock& clock, SimulatedClock::Key key)
      : clock_(clock), key_(key) {}
  // Out of the map before the closure goes: what it holds may have alarms, too.
  ~SimulatedAlarm() override { clock_.alarms_.extract(key_); }

 private:
  SimulatedClock& clock_;
  const SimulatedClock::Key key_;
};

std::unique_ptr<Alarm> SimulatedClock::ScheduleAt(
    absl::Time when, absl::AnyInvocable<void()> closure) {
  const Key key(when, next_++);
  alarms_.emplace(key, std::move(closure));
  return std::make_unique<SimulatedAlarm>(*this, key);
}

void SimulatedClock::Advance(absl::Duration duration) {
  const absl::Time end = now_ + duration;
  while (!alarms_.empty() && alarms_.begin()->first.first <= end) RunNext();
  now_ = std::max(now_, end);
}

bool SimulatedClock::RunNext() {
  if (alarms_.empty()) return false;
  auto node = alarms_.extract(alarms_.begin());
  now_ = std::max(now_, node.key().first);
  node.mapped()();
  return true;
}

}  // namespace meanfield

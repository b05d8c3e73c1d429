#ifndef MEANFIELD_TESTS_SUPPORT_MANUAL_CLOCK_H_
#define MEANFIELD_TESTS_SUPPORT_MANUAL_CLOCK_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <thread>
#include <utility>

#include "common/base/mutex.h"
#include "common/time/clock.h"

namespace meanfield::testing {

// Time that moves only when a test says so, for code with threads
// (SimulatedClock is for code without). Alarms run on the thread that advances.
class ManualClock : public Clock {
 public:
  absl::Time Now() override {
    const MutexLock lock(mutex_);
    return now_;
  }
  absl::Time WallNow() override { return Now(); }
  std::unique_ptr<Alarm> ScheduleAt(
      absl::Time when, absl::AnyInvocable<void()> closure) override {
    const MutexLock lock(mutex_);
    const Key key(when, ++next_);
    pending_.emplace(key, std::move(closure));
    return std::make_unique<ManualAlarm>(*this, key);
  }

  // By one thread at a time.
  void Advance(absl::Duration duration) {
    mutex_.Lock();
    const absl::Time end = now_ + duration;
    while (!pending_.empty() && pending_.begin()->first.first <= end) {
      auto node = pending_.extract(pending_.begin());
      now_ = std::max(now_, node.key().first);
      running_ = node.key().second;
      runner_ = std::this_thread::get_id();
      mutex_.Unlock();
      node.mapped()();
      node.mapped() = nullptr;
      mutex_.Lock();
      running_ = 0;
      finished_.NotifyAll();
    }
    now_ = end;
    mutex_.Unlock();
  }

 private:
  using Key = std::pair<absl::Time, uint64_t>;
  struct ManualAlarm : Alarm {
    ManualAlarm(ManualClock& clock, Key key) : clock(clock), key(key) {}
    ~ManualAlarm() override { clock.Cancel(key); }
    ManualClock& clock;
    const Key key;
  };

  void Cancel(const Key& key) {
    decltype(pending_)::node_type cancelled;  // destroyed without the lock
    const MutexLock lock(mutex_);
    cancelled = pending_.extract(key);
    while (running_ == key.second && runner_ != std::this_thread::get_id()) {
      finished_.Wait(mutex_);
    }
  }

  Mutex mutex_;
  CondVar finished_;
  absl::Time now_ = absl::FromUnixSeconds(1'000'000);
  uint64_t next_ = 0;
  uint64_t running_ = 0;  // number of the alarm; 0: none
  std::thread::id runner_;
  std::map<Key, absl::AnyInvocable<void()>> pending_;
};

// While it lives, a manual clock runs much faster than a real one.
class TimePasses {
 public:
  explicit TimePasses(ManualClock& clock)
      : thread_([&clock](std::stop_token stop) {
          while (!stop.stop_requested()) {
            clock.Advance(absl::Milliseconds(100));
            std::this_thread::yield();
          }
        }) {}

 private:
  std::jthread thread_;
};

}  // namespace meanfield::testing

#endif  // MEANFIELD_TESTS_SUPPORT_MANUAL_CLOCK_H_

#include "common/time/real_clock.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/base/check.h"
#include "common/base/mutex.h"

namespace meanfield {
namespace {

using SteadyClock = std::chrono::steady_clock;

class RealClock : public Clock {
 public:
  RealClock() : thread_([this] { Run(); }) {}

  ~RealClock() override {
    {
      MutexLock lock(mutex_);
      MEANFIELD_CHECK(alarms_ == 0, "an alarm outlives its clock");
      stopping_ = true;
      changed_.NotifyAll();
    }
    thread_.join();
  }

  absl::Time Now() override {
    return wall_start_ + absl::FromChrono(SteadyClock::now() - steady_start_);
  }
  absl::Time WallNow() override { return absl::Now(); }
  std::unique_ptr<Alarm> ScheduleAt(
      absl::Time when, absl::AnyInvocable<void()> closure) override;

 private:
  // Order of time, then of scheduling; the number is unique.
  using Key = std::pair<absl::Time, uint64_t>;
  class RealAlarm;

  void Run();
  void WaitForFirst() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Cancel(const Key& key);

  const absl::Time wall_start_ = absl::Now();
  const SteadyClock::time_point steady_start_ = SteadyClock::now();

  Mutex mutex_;
  CondVar changed_;   // pending_ or stopping_
  CondVar finished_;  // running_
  std::map<Key, absl::AnyInvocable<void()>> pending_ ABSL_GUARDED_BY(mutex_);
  uint64_t next_ ABSL_GUARDED_BY(mutex_) = 1;
  uint64_t running_ ABSL_GUARDED_BY(mutex_) = 0;  // number; 0: none
  int64_t alarms_ ABSL_GUARDED_BY(mutex_) = 0;    // alive
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: uses all of the above
};

class RealClock::RealAlarm : public Alarm {
 public:
  RealAlarm(RealClock& clock, Key key) : clock_(clock), key_(key) {}
  ~RealAlarm() override { clock_.Cancel(key_); }

 private:
  RealClock& clock_;
  const Key key_;
};

std::unique_ptr<Alarm> RealClock::ScheduleAt(
    absl::Time when, absl::AnyInvocable<void()> closure) {
  MutexLock lock(mutex_);
  const Key key(when, next_++);
  pending_.emplace(key, std::move(closure));
  ++alarms_;
  changed_.NotifyAll();
  return std::make_unique<RealAlarm>(*this, key);
}

void RealClock::WaitForFirst() {
  // Not until any later time: a time_point would overflow, and a laptop that
  // slept stops the steady clock's waits but not its time.
  constexpr absl::Duration kLongest = absl::Minutes(1);
  const absl::Duration left =
      std::min(pending_.begin()->first.first - Now(), kLongest);
  changed_.WaitUntil(mutex_,
                     SteadyClock::now() + absl::ToChronoNanoseconds(left));
}

void RealClock::Run() {
  mutex_.Lock();
  while (!stopping_) {
    if (pending_.empty()) {
      changed_.Wait(mutex_);
    } else if (pending_.begin()->first.first > Now()) {
      WaitForFirst();
    } else {
      auto node = pending_.extract(pending_.begin());
      running_ = node.key().second;
      mutex_.Unlock();
      node.mapped()();
      // What the closure holds goes before its alarm may be gone.
      node.mapped() = nullptr;
      mutex_.Lock();
      running_ = 0;
      finished_.NotifyAll();
    }
  }
  mutex_.Unlock();
}

void RealClock::Cancel(const Key& key) {
  decltype(pending_)::node_type cancelled;  // destroyed without the lock
  MutexLock lock(mutex_);
  cancelled = pending_.extract(key);
  --alarms_;
  if (std::this_thread::get_id() == thread_.get_id()) return;
  while (running_ == key.second) finished_.Wait(mutex_);
}

}  // namespace

std::unique_ptr<Clock> MakeRealClock() { return std::make_unique<RealClock>(); }

}  // namespace meanfield

#include "common/time/real_clock.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace meanfield {
namespace {

using ::testing::ElementsAre;

// Opened once; whoever waits goes on.
class Gate {
 public:
  void Open() {
    MutexLock lock(mutex_);
    open_ = true;
    changed_.NotifyAll();
  }
  void Wait() {
    MutexLock lock(mutex_);
    while (!open_) changed_.Wait(mutex_);
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  bool open_ ABSL_GUARDED_BY(mutex_) = false;
};

class RealClockTest : public ::testing::Test {
 protected:
  // Returns when everything due up to now has run.
  void Settle() {
    Gate gate;
    const auto alarm = clock_->ScheduleAt(clock_->Now(), [&] { gate.Open(); });
    gate.Wait();
  }

  const std::unique_ptr<Clock> clock_ = MakeRealClock();
};

TEST_F(RealClockTest, Now_DoesNotStepBack) {
  absl::Time last = clock_->Now();
  for (int i = 0; i < 1000; ++i) {
    const absl::Time now = clock_->Now();
    EXPECT_GE(now, last);
    last = now;
  }
}

TEST_F(RealClockTest, WallNow_IsOfThisCentury) {
  EXPECT_GT(clock_->WallNow(), absl::FromUnixSeconds(1'700'000'000));
}

TEST_F(RealClockTest, Alarm_RunsOnceAtOrAfterItsTime) {
  Gate gate;
  std::atomic<int> runs = 0;
  const absl::Time when = clock_->Now() + absl::Milliseconds(5);
  absl::Time ran;

  const auto alarm = clock_->ScheduleAt(when, [&] {
    ran = clock_->Now();
    ++runs;
    gate.Open();
  });
  gate.Wait();
  Settle();

  EXPECT_GE(ran, when);
  EXPECT_EQ(runs, 1);
}

TEST_F(RealClockTest, Alarms_RunInOrderOfTimeNotOfScheduling) {
  Gate gate;
  std::vector<int> order;
  const absl::Time start = clock_->Now() + absl::Milliseconds(5);
  std::vector<std::unique_ptr<Alarm>> alarms;

  for (const int i : {3, 1, 2, 0}) {
    alarms.push_back(clock_->ScheduleAt(start + absl::Microseconds(i), [&, i] {
      order.push_back(i);
      if (i == 3) gate.Open();
    }));
  }
  gate.Wait();

  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3));
}

TEST_F(RealClockTest, EarlierAlarm_IsNotHeldUpByALaterOne) {
  const auto later = clock_->ScheduleAt(absl::InfiniteFuture(), [] {});
  const auto hour = clock_->ScheduleAt(clock_->Now() + absl::Hours(1), [] {});

  Settle();  // would wait for an hour
}

TEST_F(RealClockTest, InfinitePast_RunsNow) {
  Gate gate;

  const auto alarm =
      clock_->ScheduleAt(absl::InfinitePast(), [&] { gate.Open(); });

  gate.Wait();
}

TEST_F(RealClockTest, Destroyed_DoesNotRun) {
  std::atomic<bool> ran = false;
  Gate block;
  const auto blocker = clock_->ScheduleAt(clock_->Now(), [&] { block.Wait(); });
  auto alarm = clock_->ScheduleAt(clock_->Now(), [&] { ran = true; });

  alarm.reset();
  block.Open();
  Settle();

  EXPECT_FALSE(ran);
}

TEST_F(RealClockTest, Destructor_WaitsForTheRunningClosure) {
  Gate started;
  Gate finish;
  std::atomic<bool> finished = false;
  std::atomic<bool> destroyed = false;
  auto alarm = clock_->ScheduleAt(clock_->Now(), [&] {
    started.Open();
    finish.Wait();
    EXPECT_FALSE(destroyed);
    finished = true;
  });
  started.Wait();

  std::thread destroyer([&] {
    alarm.reset();
    destroyed = true;
    EXPECT_TRUE(finished);
  });
  finish.Open();
  destroyer.join();
}

TEST_F(RealClockTest, Destructor_WaitsUntilTheClosureIsGone) {
  // After reset() nothing that the closure holds may be alive.
  for (int i = 0; i < 100; ++i) {
    auto held = std::make_shared<int>(7);
    Gate ran;
    auto alarm =
        clock_->ScheduleAt(clock_->Now(), [held, &ran] { ran.Open(); });
    ran.Wait();

    alarm.reset();

    EXPECT_EQ(held.use_count(), 1);
  }
}

TEST_F(RealClockTest, Closure_MayDestroyItsOwnAlarm) {
  Gate done;
  Gate assigned;
  std::unique_ptr<Alarm> own;

  own = clock_->ScheduleAt(clock_->Now(), [&] {
    assigned.Wait();
    own.reset();
    done.Open();
  });
  assigned.Open();

  done.Wait();
}

TEST_F(RealClockTest, Closure_MayScheduleAndCancelOthers) {
  Gate done;
  std::atomic<bool> wrong = false;
  std::unique_ptr<Alarm> next;
  auto other =
      clock_->ScheduleAt(clock_->Now() + absl::Hours(1), [&] { wrong = true; });

  const auto first = clock_->ScheduleAt(clock_->Now(), [&] {
    other.reset();
    next = clock_->ScheduleAt(clock_->Now(), [&] { done.Open(); });
  });
  done.Wait();

  EXPECT_FALSE(wrong);
}

TEST_F(RealClockTest, Threads_MayScheduleAndCancel) {
  std::atomic<int> runs = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        const auto alarm = clock_->ScheduleAt(clock_->Now(), [&] { ++runs; });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  const int seen = runs;
  Settle();
  EXPECT_EQ(runs, seen);
}

TEST(RealClockDeathTest, AlarmThatOutlivesItsClock_Aborts) {
  EXPECT_DEATH(
      {
        auto clock = MakeRealClock();
        const auto alarm = clock->ScheduleAt(absl::InfiniteFuture(), [] {});
        clock.reset();
      },
      "an alarm outlives its clock");
}

}  // namespace
}  // namespace meanfield

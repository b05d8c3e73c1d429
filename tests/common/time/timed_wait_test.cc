#include "common/time/timed_wait.h"

#include <memory>
#include <thread>

#include "common/time/real_clock.h"
#include "gtest/gtest.h"

namespace meanfield {
namespace {

class TimedWaitTest : public ::testing::Test {
 protected:
  const std::unique_ptr<Clock> clock_ = MakeRealClock();
  Mutex mutex_;
  CondVar changed_;
};

TEST_F(TimedWaitTest, TrueCondition_NeedsNoTime) {
  const MutexLock lock(mutex_);

  EXPECT_TRUE(WaitUntil(*clock_, absl::InfinitePast(), mutex_, changed_,
                        [] { return true; }));
}

TEST_F(TimedWaitTest, Deadline_EndsTheWait) {
  const MutexLock lock(mutex_);
  const absl::Time deadline = clock_->Now() + absl::Milliseconds(5);

  EXPECT_FALSE(
      WaitUntil(*clock_, deadline, mutex_, changed_, [] { return false; }));
  EXPECT_GE(clock_->Now(), deadline);
}

TEST_F(TimedWaitTest, Change_EndsTheWait) {
  bool ready = false;
  std::jthread other([&] {
    const MutexLock lock(mutex_);
    ready = true;
    changed_.NotifyAll();
  });
  const MutexLock lock(mutex_);

  EXPECT_TRUE(WaitUntil(*clock_, absl::InfiniteFuture(), mutex_, changed_,
                        [&] { return ready; }));
}

}  // namespace
}  // namespace meanfield

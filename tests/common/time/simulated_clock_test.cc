#include "common/time/simulated_clock.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace meanfield {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SimulatedClockTest : public ::testing::Test {
 protected:
  std::unique_ptr<Alarm> After(absl::Duration delay, std::string name) {
    return clock_.ScheduleAt(clock_.Now() + delay, [this, name] {
      ran_.push_back(name);
      times_.push_back(clock_.Now() - absl::UnixEpoch());
    });
  }

  SimulatedClock clock_;
  std::vector<std::string> ran_;
  std::vector<absl::Duration> times_;
};

TEST_F(SimulatedClockTest, Time_MovesOnlyWhenTold) {
  EXPECT_EQ(clock_.Now(), absl::UnixEpoch());
  clock_.Advance(absl::Seconds(3));
  EXPECT_EQ(clock_.Now(), absl::UnixEpoch() + absl::Seconds(3));
  EXPECT_EQ(clock_.WallNow(), clock_.Now());
}

TEST_F(SimulatedClockTest, Alarms_RunInOrderOfTimeThenOfScheduling) {
  const auto c = After(absl::Seconds(2), "c");
  const auto a = After(absl::Seconds(1), "a");
  const auto b = After(absl::Seconds(1), "b");

  clock_.Advance(absl::Seconds(5));

  EXPECT_THAT(ran_, ElementsAre("a", "b", "c"));
  EXPECT_THAT(times_, ElementsAre(absl::Seconds(1), absl::Seconds(1),
                                  absl::Seconds(2)));
  EXPECT_EQ(clock_.Now() - absl::UnixEpoch(), absl::Seconds(5));
}

TEST_F(SimulatedClockTest, Advance_IncludesItsEndAndNothingLater) {
  const auto a = After(absl::Seconds(1), "a");
  const auto b = After(absl::Seconds(1) + absl::Nanoseconds(1), "b");

  clock_.Advance(absl::Seconds(1));

  EXPECT_THAT(ran_, ElementsAre("a"));
}

TEST_F(SimulatedClockTest, AlarmInThePast_RunsNowAndTimeStays) {
  clock_.Advance(absl::Seconds(9));
  const auto a = After(-absl::Seconds(5), "a");
  const auto b =
      clock_.ScheduleAt(absl::InfinitePast(), [this] { ran_.push_back("b"); });

  clock_.Advance(absl::ZeroDuration());

  EXPECT_THAT(ran_, ElementsAre("b", "a"));
  EXPECT_EQ(clock_.Now() - absl::UnixEpoch(), absl::Seconds(9));
}

TEST_F(SimulatedClockTest, Destroyed_DoesNotRun) {
  auto a = After(absl::Seconds(1), "a");
  a.reset();

  clock_.Advance(absl::Hours(1));

  EXPECT_THAT(ran_, IsEmpty());
  EXPECT_FALSE(clock_.RunNext());
}

TEST_F(SimulatedClockTest, Closure_MayScheduleWhatIsDueToo) {
  std::unique_ptr<Alarm> second;
  const auto first = clock_.ScheduleAt(clock_.Now() + absl::Seconds(1), [&] {
    second = After(absl::Seconds(1), "second");
  });

  clock_.Advance(absl::Seconds(2));

  EXPECT_THAT(ran_, ElementsAre("second"));
}

TEST_F(SimulatedClockTest, Closure_MayDestroyItsOwnAndAnotherAlarm) {
  auto other = After(absl::Seconds(1), "other");
  std::unique_ptr<Alarm> own;
  own = clock_.ScheduleAt(clock_.Now(), [&] {
    own.reset();
    other.reset();
    ran_.push_back("own");
  });

  clock_.Advance(absl::Seconds(2));

  EXPECT_THAT(ran_, ElementsAre("own"));
}

TEST_F(SimulatedClockTest, ClosureThatHoldsAnAlarm_TakesItAlong) {
  auto inner = std::make_shared<std::unique_ptr<Alarm>>(
      After(absl::Seconds(1), "inner"));
  auto outer = clock_.ScheduleAt(clock_.Now(), [inner] {});
  inner.reset();

  outer.reset();
  clock_.Advance(absl::Seconds(2));

  EXPECT_THAT(ran_, IsEmpty());
}

TEST_F(SimulatedClockTest, RunNext_JumpsToTheNextAlarm) {
  const auto a = After(absl::Hours(100), "a");

  EXPECT_TRUE(clock_.RunNext());

  EXPECT_THAT(ran_, ElementsAre("a"));
  EXPECT_EQ(clock_.Now() - absl::UnixEpoch(), absl::Hours(100));
  EXPECT_FALSE(clock_.RunNext());
}

}  // namespace
}  // namespace meanfield

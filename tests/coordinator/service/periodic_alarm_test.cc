#include "coordinator/service/periodic_alarm.h"

#include <optional>

#include "common/time/simulated_clock.h"
#include "gtest/gtest.h"

namespace meanfield::service {
namespace {

TEST(PeriodicAlarm, RunsEveryInterval) {
  SimulatedClock clock;
  int runs = 0;
  const PeriodicAlarm alarm(clock, absl::Seconds(2), [&] { ++runs; });

  clock.Advance(absl::Seconds(7));

  EXPECT_EQ(runs, 3);
}

TEST(PeriodicAlarm, Destructor_StopsIt) {
  SimulatedClock clock;
  int runs = 0;
  std::optional<PeriodicAlarm> alarm(std::in_place, clock, absl::Seconds(2),
                                     [&] { ++runs; });
  clock.Advance(absl::Seconds(3));

  alarm.reset();
  clock.Advance(absl::Seconds(30));

  EXPECT_EQ(runs, 1);
  EXPECT_FALSE(clock.RunNext());
}

}  // namespace
}  // namespace meanfield::service

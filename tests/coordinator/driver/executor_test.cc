#include <atomic>
#include <vector>

#include "coordinator/driver/manual_executor.h"
#include "coordinator/driver/serial_executor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace meanfield::driver {
namespace {

using ::testing::ElementsAre;

TEST(SerialExecutor, Closures_RunInOrderAlsoThosePostedByClosures) {
  std::vector<int> order;
  SerialExecutor executor;
  executor.Post([&] {
    order.push_back(1);
    executor.Post([&] { order.push_back(3); });
  });
  executor.Post([&] { order.push_back(2); });
  executor.Drain();
  EXPECT_THAT(order,
              ::testing::AnyOf(ElementsAre(1, 2, 3), ElementsAre(1, 3, 2)));
}

TEST(SerialExecutor, Destructor_RunsWhatIsQueued) {
  std::atomic<int> count = 0;
  {
    SerialExecutor executor;
    for (int i = 0; i < 100; ++i) executor.Post([&] { ++count; });
  }
  EXPECT_EQ(count, 100);
}

TEST(ManualExecutor, NothingRunsUntilTold) {
  int count = 0;
  ManualExecutor executor;
  executor.Post([&] { ++count; });
  EXPECT_EQ(count, 0);
  EXPECT_TRUE(executor.RunNext());
  EXPECT_FALSE(executor.RunNext());
  EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace meanfield::driver

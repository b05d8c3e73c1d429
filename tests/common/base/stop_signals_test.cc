#include "common/base/stop_signals.h"

#include <unistd.h>

#include <csignal>
#include <future>

#include "gtest/gtest.h"

namespace meanfield {
namespace {

TEST(StopSignals, CountsWhatComes) {
  std::promise<void> first;
  std::promise<int> second;
  const StopSignals signals([&](int count) {
    if (count == 1) first.set_value();
    if (count == 2) second.set_value(count);
  });

  kill(getpid(), SIGTERM);
  first.get_future().wait();  // equal signals that wait are merged
  kill(getpid(), SIGINT);

  EXPECT_EQ(second.get_future().get(), 2);
}

TEST(StopSignals, Destructor_CallsNothing) {
  int calls = 0;
  {
    const StopSignals signals([&](int) { ++calls; });
  }

  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace meanfield

#include "worker/runtime/backoff.h"

#include <algorithm>

#include "gtest/gtest.h"

namespace meanfield {
namespace {

TEST(Backoff, GrowsToItsLimitAndVaries) {
  Backoff backoff(7);

  absl::Duration longest;
  for (int i = 0; i < 50; ++i) {
    const absl::Duration pause = backoff.Next();
    EXPECT_GE(pause, absl::Milliseconds(25));
    EXPECT_LE(pause, absl::Seconds(2));
    longest = std::max(longest, pause);
  }
  EXPECT_GT(longest, absl::Seconds(1));
}

TEST(Backoff, Reset_StartsOver) {
  Backoff backoff(7);
  for (int i = 0; i < 10; ++i) backoff.Next();

  backoff.Reset();

  EXPECT_LE(backoff.Next(), absl::Milliseconds(50));
}

TEST(Backoff, Seeds_KeepWorkersOutOfStep) {
  EXPECT_NE(Backoff(1).Next(), Backoff(2).Next());
}

}  // namespace
}  // namespace meanfield

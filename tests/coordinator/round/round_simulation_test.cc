#include <cstdint>

#include "gtest/gtest.h"
#include "tests/coordinator/round/random_life.h"

namespace meanfield::round {
namespace {

TEST(RoundSimulation, KeepsItsPromisesInRandomLives) {
  int completed = 0;
  constexpr int kLives = 20000;
  for (uint64_t seed = 0; seed < kLives; ++seed) {
    RandomLife life(seed);
    life.Live();
    ASSERT_EQ(life.fault(), "") << "seed " << seed;
    completed += life.complete() ? 1 : 0;
  }
  // The lives are neither all easy nor all hopeless.
  EXPECT_GT(completed, kLives / 5);
  EXPECT_LT(completed, kLives);
}

}  // namespace
}  // namespace meanfield::round

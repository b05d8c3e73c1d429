// Every vectorised form against the reference.
#include "common/kernels/fold_levels.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "common/kernels/fold.h"
#include "gtest/gtest.h"
#include "tests/common/kernels/random_floats.h"

namespace meanfield::kernels {
namespace {

class FoldLevelsTest : public ::testing::TestWithParam<FoldLevel> {
 protected:
  // The level's bits are the reference's, added and taken out.
  void ExpectReference(FloatView base, FloatView update, FoldWeight weight) {
    std::vector<uint64_t> expected(base.size, 77), sum(base.size, 77);
    for (const double sign : {1.0, 1.0, -1.0}) {
      weight.fraction = std::copysign(weight.fraction, sign);
      const FoldOutcome reference =
          FoldReference(base, update, weight, expected);
      const FoldOutcome outcome = GetParam().fold(base, update, weight, sum);

      ASSERT_EQ(sum, expected) << "of " << base.size;
      ASSERT_EQ(outcome.squares, reference.squares);
      ASSERT_EQ(outcome.first_invalid, reference.first_invalid);
    }
  }
};

TEST_P(FoldLevelsTest, EverySize_GivesTheReferencesBits) {
  for (const size_t size :
       {0, 1, 15, 16, 17, 511, 512, 513, 1024, 1535, 5000}) {
    const auto base = WeightLike<float>(size, size);
    const auto update = WeightLike<float>(size, size + 1);

    ExpectReference(ViewOf(base), ViewOf(update), {48, 0.37});
  }
}

TEST_P(FoldLevelsTest, AnyBits_GiveTheReferencesBits) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto base = WeightLike<float>(3000, seed);
    const auto update = AnyFloats<float>(3000, seed + 100);

    ExpectReference(ViewOf(base), ViewOf(update), {52, 1.0 / 3});
  }
}

TEST_P(FoldLevelsTest, AnyF64Bits_GiveTheReferencesBits) {
  for (const int exponent : {52, 0, -972}) {
    const auto base = WeightLike<double>(3000, 7);
    const auto update = AnyFloats<double>(3000, 8);

    ExpectReference(ViewOf(base), ViewOf(update), {exponent, 0.7});
  }
}

TEST_P(FoldLevelsTest, SixteenBitUpdates_GiveTheReferencesBits) {
  const auto base = WeightLike<float>(66'000, 1);
  const auto halves = AnyFloats<Half>(66'000, 2);
  const auto brains = AnyFloats<BFloat16>(66'000, 3);

  ExpectReference(ViewOf(base), ViewOf(halves), {50, 0.125});
  ExpectReference(ViewOf(base), ViewOf(brains), {50, 0.125});
}

TEST_P(FoldLevelsTest, Ties_RoundToEven) {
  const std::vector<double> base(512);
  std::vector<double> update(512);
  for (int i = 0; i < 512; ++i) update[i] = std::ldexp(i - 256, -53);
  std::vector<uint64_t> sum(512);

  GetParam().fold(ViewOf(base), ViewOf(update), {52, 1.0}, sum);

  EXPECT_EQ(static_cast<int64_t>(sum[256 + 1]), 0);
  EXPECT_EQ(static_cast<int64_t>(sum[256 + 3]), 2);
  EXPECT_EQ(static_cast<int64_t>(sum[256 - 5]), -2);
}

TEST_P(FoldLevelsTest, LargeTermsThatAreNotIntegers_RoundAsLlrint) {
  const std::vector<double> base(1024);
  auto update = WeightLike<double>(1024, 5);
  for (size_t i = 0; i < update.size(); ++i) {
    update[i] = std::ldexp(update[i], static_cast<int>(i % 12));
  }
  for (const double fraction : {1.0, 0.5, 1.0 / 3, 0x1p-40}) {
    ExpectReference(ViewOf(base), ViewOf(update), {52, fraction});
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, FoldLevelsTest,
                         ::testing::ValuesIn(FoldLevels()),
                         [](const auto& level) {
                           return std::string(level.param.name);
                         });

}  // namespace
}  // namespace meanfield::kernels

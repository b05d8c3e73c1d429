#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "common/kernels/fold.h"
#include "gtest/gtest.h"
#include "tests/common/kernels/random_floats.h"

namespace meanfield::kernels {
namespace {

TEST(FinishMean, ZeroSum_GivesTheBasesVeryBits) {
  const std::vector<float> base = {
      -0.0f, 0.0f, std::numeric_limits<float>::denorm_min(), -1e-42f, 3.25f};
  const std::vector<uint64_t> sum(base.size());
  std::vector<float> mean(base.size(), 9);

  FinishMean(ViewOf(base), sum, 50, 4.0 / 3, mean.data());

  for (size_t i = 0; i < base.size(); ++i) {
    EXPECT_EQ(std::bit_cast<uint32_t>(mean[i]),
              std::bit_cast<uint32_t>(base[i]));
  }
}

TEST(FinishMean, AnySum_IsConvertedAsByTheProcessor) {
  std::mt19937_64 random(1);
  const std::vector<double> base(3000);
  std::vector<uint64_t> sum(base.size());
  for (uint64_t& value : sum) value = random() >> (random() % 64);
  for (size_t i = 0; i < sum.size(); i += 2) sum[i] = -sum[i];
  sum[0] = std::bit_cast<uint64_t>(std::numeric_limits<int64_t>::min());
  std::vector<double> mean(base.size());

  FinishMean(ViewOf(base), sum, 0, 1, mean.data());

  for (size_t i = 0; i < sum.size(); ++i) {
    ASSERT_EQ(mean[i], static_cast<double>(static_cast<int64_t>(sum[i])));
  }
}

TEST(FinishMean, Ratio_ScalesTheDifferenceNotTheBase) {
  const std::vector<float> base = {10};
  const std::vector<uint64_t> sum = {uint64_t{1} << 48};
  float mean = 0;

  FinishMean(ViewOf(base), sum, 48, 2, &mean);

  EXPECT_EQ(mean, 12);
}

}  // namespace
}  // namespace meanfield::kernels

#include "worker/torch/loss_scaler.h"

#include <ATen/ops/full.h>

#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace meanfield {
namespace {

std::vector<at::Tensor> Gradients(double value) {
  return {at::full({3}, 2.0), at::full({2, 2}, value)};
}

TEST(LossScaler, F32_LeavesGradientsAlone) {
  LossScaler scaler(Precision::kF32);
  const auto gradients = Gradients(std::numeric_limits<double>::infinity());

  EXPECT_TRUE(scaler.Unscale(gradients));
  EXPECT_EQ(scaler.scale(), 1);
  EXPECT_EQ(gradients[0][0].item<double>(), 2);
}

TEST(LossScaler, F16_ScalesGradientsDown) {
  LossScaler scaler(Precision::kF16);
  const auto gradients = Gradients(3 * LossScaler::kFirstScale);

  EXPECT_TRUE(scaler.Unscale(gradients));
  EXPECT_EQ(scaler.scale(), LossScaler::kFirstScale);
  EXPECT_EQ(gradients[1][1][0].item<double>(), 3);
}

TEST(LossScaler, Overflow_LeavesTheStepOutAndHalvesTheScale) {
  for (const double bad : {std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()}) {
    LossScaler scaler(Precision::kF16);

    EXPECT_FALSE(scaler.Unscale(Gradients(bad)));
    EXPECT_EQ(scaler.scale(), LossScaler::kFirstScale / 2);
    EXPECT_TRUE(scaler.Unscale(Gradients(1)));
  }
}

TEST(LossScaler, ManyGoodSteps_DoubleTheScale) {
  LossScaler scaler(Precision::kF16);
  for (int64_t i = 1; i < LossScaler::kGrowthInterval; ++i) {
    ASSERT_TRUE(scaler.Unscale(Gradients(1)));
  }
  EXPECT_EQ(scaler.scale(), LossScaler::kFirstScale);

  ASSERT_TRUE(scaler.Unscale(Gradients(1)));

  EXPECT_EQ(scaler.scale(), 2 * LossScaler::kFirstScale);
}

}  // namespace
}  // namespace meanfield

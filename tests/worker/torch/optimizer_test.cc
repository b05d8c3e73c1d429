#include "worker/torch/optimizer.h"

#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sparse_coo_tensor.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace meanfield {
namespace {

NamedTensor Parameter(const std::string& name, at::Tensor gradient) {
  at::Tensor value = at::zeros(gradient.sizes());
  value.set_requires_grad(true);
  value.mutable_grad() = std::move(gradient);
  return {.name = name, .value = value};
}

// Rows 1, 0 and 1 again of a table of two rows of two.
at::Tensor RowGradient() {
  return at::sparse_coo_tensor(
      at::tensor({1, 0, 1}, at::kLong).unsqueeze(0),
      at::tensor({1.f, 1.f, 2.f, 2.f, 2.f, 2.f}).view({3, 2}), {2, 2});
}

float First(const NamedTensor& tensor) {
  return tensor.value.flatten()[0].item<float>();
}

TEST(StepOptimizer, DecoderFactor_AppliesToNamesWithoutEmbeddings) {
  const std::vector<NamedTensor> tensors = {
      Parameter("embeddings.rnn.weight_ih_l0", at::ones({2})),
      Parameter("embedding2nn.weight", at::ones({2})),
      Parameter("decoder.weight", at::ones({2}))};
  StepOptimizer optimizer(tensors, {.decoder_learning_rate_factor = 10});

  optimizer.Step(0.5f);

  EXPECT_FLOAT_EQ(First(tensors[0]), -0.5f);
  EXPECT_FLOAT_EQ(First(tensors[1]), -5);
  EXPECT_FLOAT_EQ(First(tensors[2]), -5);
}

TEST(StepOptimizer, ClippedStep_HasTheLimitAsNormOverAllTensors) {
  const std::vector<NamedTensor> tensors = {
      Parameter("embeddings.table", RowGradient()),
      Parameter("decoder.weight", at::full({3}, 5.f))};
  StepOptimizer optimizer(tensors, {.max_grad_norm = 0.1});

  optimizer.Step(1);

  const double squares = tensors[0].value.square().sum().item<double>() +
                         tensors[1].value.square().sum().item<double>();
  EXPECT_NEAR(std::sqrt(squares), 0.1, 1e-6);
  // The row that was listed twice counts as one row of 3s.
  const float coefficient = 0.1f / std::sqrt(2 * 9 + 2 * 4 + 3 * 25);
  EXPECT_NEAR(tensors[0].value[1][0].item<float>(), -3 * coefficient, 1e-6);
}

TEST(StepOptimizer, GradientBelowTheLimit_IsNotClipped) {
  const std::vector<NamedTensor> tensors = {
      Parameter("decoder.weight", at::ones({3}))};
  StepOptimizer optimizer(tensors, {.max_grad_norm = 100});

  optimizer.Step(1);

  EXPECT_EQ(First(tensors[0]), -1);
}

TEST(StepOptimizer, TensorWithoutGradient_KeepsItsValue) {
  for (const auto& config : std::vector<std::variant<SgdConfig, AdamConfig>>{
           SgdConfig{.weight_decay = 0.1},
           AdamConfig{.weight_decay = 0.1, .decoupled_weight_decay = true}}) {
    const std::vector<NamedTensor> tensors = {
        Parameter("decoder.weight", at::ones({3})),
        Parameter("decoder.bias", at::ones({3}))};
    tensors[1].value.mutable_grad() = at::Tensor();
    StepOptimizer optimizer(tensors, {.optimizer = config, .max_grad_norm = 5});

    optimizer.Step(1);

    EXPECT_NE(First(tensors[0]), 0);
    EXPECT_EQ(First(tensors[1]), 0);
  }
}

TEST(StepOptimizer, FrozenTensor_IsNoParameter) {
  std::vector<NamedTensor> tensors = {
      Parameter("embeddings.table", at::ones({3}))};
  tensors[0].role = TensorRole::kFrozen;
  StepOptimizer optimizer(tensors, {});

  optimizer.Step(1);

  EXPECT_EQ(First(tensors[0]), 0);
}

TEST(StepOptimizer, OverflowOfF16_LeavesTheStepOut) {
  const std::vector<NamedTensor> tensors = {Parameter(
      "decoder.weight", at::full({3}, std::numeric_limits<float>::infinity()))};
  StepOptimizer optimizer(tensors, {.precision = Precision::kF16});
  const double scale = optimizer.loss_scale();

  optimizer.Step(1);

  EXPECT_EQ(First(tensors[0]), 0);
  EXPECT_EQ(optimizer.loss_scale(), scale / 2);
}

TEST(StepOptimizer, ScaledGradient_IsClippedAfterItIsScaledDown) {
  const std::vector<NamedTensor> tensors = {
      Parameter("decoder.weight", at::full({1}, 65536.f))};
  StepOptimizer optimizer(tensors,
                          {.max_grad_norm = 5, .precision = Precision::kF16});

  optimizer.Step(1);

  EXPECT_EQ(First(tensors[0]), -1);
}

}  // namespace
}  // namespace meanfield

#include "worker/torch/rnn.h"

#include <ATen/Functions.h>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace meanfield {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kInput = 6;
constexpr int64_t kHidden = 5;
const std::vector<int64_t> kBatchSizes = {4, 3, 3, 1};

// An RNN of two layers in both directions.
class PackedRnnTest : public ::testing::TestWithParam<RnnType> {
 protected:
  PackedRnnTest()
      : rnn_({.type = GetParam(), .hidden_size = kHidden, .num_layers = 2},
             kInput, "rnn.", [this](std::string name, at::IntArrayRef shape) {
               names_.push_back(std::move(name));
               tensors_.push_back(at::zeros(shape).set_requires_grad(true));
               return tensors_.back();
             }) {
    at::manual_seed(1);
    rnn_.Initialize();
    rows_ = at::randn({11, kInput});
  }

  std::vector<std::string> names_;
  std::vector<at::Tensor> tensors_;
  PackedRnn rnn_;
  at::Tensor rows_;
};

INSTANTIATE_TEST_SUITE_P(, PackedRnnTest,
                         ::testing::Values(RnnType::kLstm, RnnType::kGru));

TEST_P(PackedRnnTest, Tensors_HavePyTorchsNamesAndShapes) {
  ASSERT_EQ(names_.size(), 16);
  EXPECT_EQ(names_[0], "rnn.weight_ih_l0");
  EXPECT_EQ(names_[3], "rnn.bias_hh_l0");
  EXPECT_EQ(names_[5], "rnn.weight_hh_l0_reverse");
  EXPECT_EQ(names_[12], "rnn.weight_ih_l1_reverse");
  const int64_t gates = (GetParam() == RnnType::kLstm ? 4 : 3) * kHidden;
  EXPECT_THAT(tensors_[0].sizes().vec(), ElementsAre(gates, kInput));
  EXPECT_THAT(tensors_[5].sizes().vec(), ElementsAre(gates, kHidden));
  EXPECT_THAT(tensors_[12].sizes().vec(), ElementsAre(gates, 2 * kHidden));
  EXPECT_THAT(tensors_[15].sizes().vec(), ElementsAre(gates));
}

TEST_P(PackedRnnTest, FirstWeights_FillTheirBounds) {
  const double bound = 1 / std::sqrt(static_cast<double>(kHidden));
  for (const at::Tensor& tensor : tensors_) {
    const double largest = at::max(at::abs(tensor)).item<double>();
    EXPECT_LE(largest, bound);
    EXPECT_GE(largest, 0.7 * bound);
  }
}

TEST_P(PackedRnnTest, Evaluation_EqualsLibTorchs) {
  const at::Tensor zero = at::zeros({4, kBatchSizes.front(), kHidden});
  const at::Tensor sizes = at::tensor(kBatchSizes, at::kLong);
  const at::Tensor theirs =
      GetParam() == RnnType::kLstm
          ? std::get<0>(at::lstm(rows_, sizes, {zero, zero}, tensors_, true, 2,
                                 0, false, true))
          : std::get<0>(
                at::gru(rows_, sizes, zero, tensors_, true, 2, 0, false, true));

  const at::Tensor ours = rnn_.Forward(rows_, kBatchSizes, /*training=*/false);

  EXPECT_EQ(ours.size(1), rnn_.output_size());
  EXPECT_TRUE(at::allclose(ours, theirs, 1e-5, 1e-6));
}

TEST_P(PackedRnnTest, Training_DropsValuesBetweenLayers) {
  const at::Tensor evaluation =
      rnn_.Forward(rows_, kBatchSizes, /*training=*/false);
  at::manual_seed(2);
  const at::Tensor one = rnn_.Forward(rows_, kBatchSizes, /*training=*/true);
  const at::Tensor other = rnn_.Forward(rows_, kBatchSizes, /*training=*/true);
  at::manual_seed(2);
  const at::Tensor again = rnn_.Forward(rows_, kBatchSizes, /*training=*/true);

  EXPECT_FALSE(at::equal(one, evaluation));
  EXPECT_FALSE(at::equal(one, other));
  EXPECT_TRUE(at::equal(one, again));
}

TEST_P(PackedRnnTest, Backward_ReachesEveryTensor) {
  rnn_.Forward(rows_, kBatchSizes, /*training=*/true).sum().backward();

  for (size_t i = 0; i < tensors_.size(); ++i) {
    ASSERT_TRUE(tensors_[i].grad().defined()) << names_[i];
    EXPECT_GT(tensors_[i].grad().norm().item<double>(), 0) << names_[i];
  }
}

}  // namespace
}  // namespace meanfield

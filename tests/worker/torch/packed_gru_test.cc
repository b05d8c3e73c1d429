#include "worker/torch/packed_gru.h"

#include <ATen/Functions.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"

namespace meanfield {
namespace {

struct Case {
  std::string name;
  std::vector<int64_t> batch_sizes;
  int64_t directions = 1;
  int64_t input = 0;
  int64_t hidden = 0;
};

// Against LibTorch's own, which steps one by one.
class PackedGru : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    at::manual_seed(1);
    int64_t rows = 0;
    for (const int64_t size : GetParam().batch_sizes) rows += size;
    rows_ = at::randn({rows, GetParam().input}).set_requires_grad(true);
    const int64_t gates = 3 * GetParam().hidden;
    for (int64_t k = 0; k < GetParam().directions; ++k) {
      for (const at::Tensor& tensor :
           {at::randn({gates, GetParam().input}),
            at::randn({gates, GetParam().hidden}), at::randn({gates}),
            at::randn({gates})}) {
        weights_.push_back(at::mul(tensor, 0.5).set_requires_grad(true));
      }
    }
  }

  at::Tensor Theirs() const {
    const at::Tensor zero =
        at::zeros({GetParam().directions, GetParam().batch_sizes.front(),
                   GetParam().hidden});
    return std::get<0>(
        at::gru(rows_, at::tensor(GetParam().batch_sizes, at::kLong), zero,
                weights_, /*has_biases=*/true, /*num_layers=*/1, /*dropout=*/0,
                /*train=*/true, GetParam().directions == 2));
  }

  // Of a loss that weighs every output in its own way.
  std::vector<at::Tensor> Gradients(const at::Tensor& out) {
    at::manual_seed(2);
    at::sum(at::mul(out, at::randn(out.sizes()))).backward();
    std::vector<at::Tensor> gradients = {rows_.grad()};
    rows_.mutable_grad() = at::Tensor();
    for (at::Tensor& weight : weights_) {
      gradients.push_back(weight.grad());
      weight.mutable_grad() = at::Tensor();
    }
    return gradients;
  }

  at::Tensor rows_;
  std::vector<at::Tensor> weights_;
};

INSTANTIATE_TEST_SUITE_P(
    , PackedGru,
    ::testing::Values(Case{"OneRow", {1}, 2, 3, 5},
                      Case{"OneStep", {7}, 2, 3, 5},
                      Case{"EqualLengths", {4, 4, 4}, 2, 9, 16},
                      Case{"OneSequence", {1, 1, 1, 1, 1, 1}, 2, 6, 7},
                      Case{"Forward", {9, 8, 8, 4, 2, 2, 1}, 1, 11, 25},
                      Case{"Both", {9, 8, 8, 4, 2, 2, 1}, 2, 11, 25},
                      Case{"Wide", {32, 32, 30, 21, 9, 3, 1}, 2, 150, 64}),
    [](const auto& info) { return info.param.name; });

TEST_P(PackedGru, EqualsLibTorchsWithinRounding) {
  const at::Tensor theirs = Theirs();
  const std::vector<at::Tensor> their_gradients = Gradients(theirs);

  const at::Tensor ours =
      PackedGruLayer(rows_, GetParam().batch_sizes, weights_);

  EXPECT_TRUE(at::allclose(ours, theirs, 1e-5, 1e-6));
  const std::vector<at::Tensor> gradients = Gradients(ours);
  for (size_t i = 0; i < gradients.size(); ++i) {
    const double scale =
        at::max(at::abs(their_gradients[i])).item<double>() + 1;
    EXPECT_TRUE(
        at::allclose(gradients[i], their_gradients[i], 1e-5, 2e-6 * scale))
        << i;
  }
}

TEST_P(PackedGru, SameInput_SameBits) {
  const auto run = [&] {
    const at::Tensor out =
        PackedGruLayer(rows_, GetParam().batch_sizes, weights_);
    std::vector<at::Tensor> all = Gradients(out);
    all.push_back(out.detach());
    return all;
  };
  const std::vector<at::Tensor> first = run();
  const std::vector<at::Tensor> second = run();

  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_TRUE(at::equal(first[i], second[i])) << i;
  }
}

TEST(PackedGruLayer, ExtremeSums_SaturateAndNaNStaysNaN) {
  const at::Tensor rows = at::tensor({1e30f, -1e30f}).view({2, 1});
  const std::vector<at::Tensor> weights = {at::ones({3, 1}), at::zeros({3, 1}),
                                           at::zeros({3}), at::zeros({3})};

  const at::Tensor out = PackedGruLayer(rows, {2}, weights);
  const at::Tensor odd =
      PackedGruLayer(at::full({1, 1}, std::nan("")), {1}, weights);

  EXPECT_NEAR(out[0].item<float>(), 0, 1e-30);  // keeps the state
  EXPECT_FLOAT_EQ(out[1].item<float>(), -1);
  EXPECT_TRUE(std::isnan(odd.item<float>()));
}

}  // namespace
}  // namespace meanfield

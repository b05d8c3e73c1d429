#include "worker/torch/row_gather.h"

#include <ATen/Functions.h>

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace meanfield {
namespace {

TEST(GatherRows, RepeatedRows_TheGradientHasEmbeddingsBits) {
  at::manual_seed(3);
  at::Tensor table = at::randn({7, 5}).set_requires_grad(true);
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < 200; ++i) ids.push_back(i * i % 6);
  const at::Tensor weights = at::randn({200, 5});
  at::sum(at::mul(at::embedding(table, at::tensor(ids, at::kLong)), weights))
      .backward();
  const at::Tensor expected = table.grad();
  table.mutable_grad() = at::Tensor();

  at::sum(at::mul(GatherRows(table, ids), weights)).backward();

  EXPECT_TRUE(at::equal(table.grad(), expected));
  EXPECT_TRUE(at::equal(table.grad()[6], at::zeros({5})));
}

// As the parts of a concatenation get it.
TEST(GatherRows, GradientWithStrides_IsReadInPlace) {
  at::Tensor table = at::zeros({3, 2}).set_requires_grad(true);
  const at::Tensor wide =
      at::cat({GatherRows(table, {2, 0, 2}), at::zeros({3, 2})}, 1);

  at::sum(at::mul(wide, at::arange(12).view({3, 4}))).backward();

  EXPECT_TRUE(at::equal(
      table.grad(), at::tensor({4.f, 5.f, 0.f, 0.f, 8.f, 10.f}).view({3, 2})));
}

}  // namespace
}  // namespace meanfield

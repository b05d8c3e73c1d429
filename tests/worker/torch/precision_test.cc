#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/worker/torch/toy_units.h"
#include "worker/torch/autocast.h"

namespace meanfield {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::StatusIs;
using testing::ToyShard;
using testing::ToyTagger;
using testing::ToyUnits;

TEST(Precision, MixedPrecisionOnACpu_IsRefusedByName) {
  ToyUnits units;
  const ToyShard shard = testing::ToySentences(8);
  TrainTask task = units.Task(ToyTagger(), units.Initial(ToyTagger()),
                              shard.view(), 1, "update");
  task.training.precision = Precision::kBF16;

  EXPECT_THAT(units.Train(task),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("precision BF16 needs a GPU"),
                             HasSubstr("computes on cpu"))));
}

// The CPU has autocast, too: enough to see that it is switched on and off.
TEST(Autocast, WhileItLives_ProductsAreComputedInItsPrecision) {
  const at::Tensor ones = at::ones({2, 2});
  {
    const Autocast autocast(at::kCPU, Precision::kBF16);
    EXPECT_EQ(at::matmul(ones, ones).scalar_type(), at::kBFloat16);
  }
  EXPECT_EQ(at::matmul(ones, ones).scalar_type(), at::kFloat);
  const Autocast none(at::kCPU, Precision::kF32);
  EXPECT_EQ(at::matmul(ones, ones).scalar_type(), at::kFloat);
}

}  // namespace
}  // namespace meanfield

#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>

#include <memory>

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

// Weights and losses stay F32, whatever the passes are computed in.
TEST(Precision, EveryPrecisionOnAGpu_LowersTheLoss) {
  const std::unique_ptr<Clock> clock = MakeRealClock();
  const auto trainer = MakeTorchTrainer({.gpu = "0"}, *clock);
  if (!trainer.ok()) GTEST_SKIP() << trainer.status();
  ToyUnits units;
  const ToyShard shard = testing::ToySpelledSentences(40);
  for (const Precision precision :
       {Precision::kF32, Precision::kBF16, Precision::kF16}) {
    TrainTask task = units.Task(testing::ToyCrfTagger(),
                                units.Initial(testing::ToyCrfTagger()),
                                shard.view(), 5, "update");
    task.training.precision = precision;
    task.training.max_grad_norm = 5;
    const auto train = [&] {
      return (*trainer)->Train(task, {}, [](const StepProgress&) {});
    };
    ASSERT_OK_AND_ASSIGN(const TrainOutcome early, train());
    task.num_steps = 100;

    ASSERT_OK_AND_ASSIGN(const TrainOutcome late, train());

    EXPECT_LT(late.loss_sum / static_cast<double>(late.loss_count),
              0.9 * early.loss_sum / static_cast<double>(early.loss_count));
  }
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

#include "coordinator/schedule/learning_rate.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/coordinator/schedule/schedule_fixture.h"

namespace meanfield::schedule {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::Pair;

// First and last rate of a shard's units.
std::vector<std::pair<float, float>> RatesOf(
    const std::vector<proto::RoundPlan>& plans, uint32_t shard = 0) {
  std::vector<std::pair<float, float>> rates;
  for (const proto::RoundPlan& plan : plans) {
    for (const proto::ShardPlan& entry : plan.cohort()) {
      if (entry.shard() != shard) continue;
      rates.emplace_back(Rate(entry.train().lr_first_bits()),
                         Rate(entry.train().lr_last_bits()));
    }
  }
  return rates;
}

TEST(LinearFactor, IsFlairs) {  // fixture linear_warmup_10_3_lr_used_at_step
  std::vector<double> factors;
  for (uint64_t s = 0; s <= 10; ++s) factors.push_back(LinearFactor(s, 3, 10));

  EXPECT_THAT(factors, ElementsAre(0.0, 1 / 3.0, 2 / 3.0, 1.0, 6 / 7.0, 5 / 7.0,
                                   4 / 7.0, 3 / 7.0, 2 / 7.0, 1 / 7.0, 0.0));
}

TEST(LinearFactor, WarmupBeyondTheEnd_OnlyRises) {
  EXPECT_EQ(LinearFactor(10, 20, 10), 0.5);
  EXPECT_EQ(LinearFactor(10, 10, 10), 1.0);
}

TEST(LearningRate, IsConstantByDefault) {
  const proto::JobSpec job =
      MakeJob("schedule { local_epochs: 1 } stop { max_rounds: 2 }");

  EXPECT_THAT(RatesOf(AllPlans(job, MakeShards({10}))),
              ElementsAre(Pair(0.5f, 0.5f), Pair(0.5f, 0.5f)));
}

TEST(LinearDecay, EndsAtZeroForEveryShard) {
  const proto::JobSpec job = MakeJob(
      "schedule { local_steps: 4 } stop { max_epochs: 1 }", "linear_decay {}");
  const auto plans = AllPlans(job, MakeShards({100, 80}));

  EXPECT_THAT(RatesOf(plans, 0), ElementsAre(Pair(0.5f, FloatEq(0.3f)),
                                             Pair(FloatEq(0.3f), FloatEq(0.1f)),
                                             Pair(FloatEq(0.1f), 0.0f)));
  EXPECT_THAT(RatesOf(plans, 1),
              ElementsAre(Pair(0.5f, 0.25f), Pair(0.25f, 0.0f)));
}

TEST(LinearDecay, WarmupThatEndsWithAUnit_IsExact) {
  const proto::JobSpec job =
      MakeJob("schedule { local_steps: 2 } stop { max_rounds: 4 }",
              "linear_decay { warmup_steps: 4 }");

  EXPECT_THAT(RatesOf(AllPlans(job, MakeShards({10}))),
              ElementsAre(Pair(0.0f, 0.25f), Pair(0.25f, 0.5f),
                          Pair(0.5f, 0.25f), Pair(0.25f, 0.0f)));
}

TEST(LinearDecay, WarmupFraction_IsOfAllStepsOfTheShard) {
  const proto::JobSpec job =
      MakeJob("schedule { local_steps: 2 } stop { max_rounds: 4 }",
              "linear_decay { warmup_fraction: 0.5 }");

  EXPECT_THAT(RatesOf(AllPlans(job, MakeShards({10}))),
              ElementsAre(Pair(0.0f, 0.25f), Pair(0.25f, 0.5f),
                          Pair(0.5f, 0.25f), Pair(0.25f, 0.0f)));
}

TEST(WarmupSteps, FractionIsRoundedDown_AsFlairDoes) {
  proto::Training::LinearDecay decay;
  EXPECT_EQ(WarmupSteps(decay, 10), 0u);
  decay.set_warmup_fraction(0.1);
  EXPECT_EQ(WarmupSteps(decay, 9), 0u);
  EXPECT_EQ(WarmupSteps(decay, 10), 1u);
  EXPECT_EQ(WarmupSteps(decay, 29), 2u);
  decay.clear_warmup_fraction();
  decay.set_warmup_steps(7);
  EXPECT_EQ(WarmupSteps(decay, 10), 7u);
}

TEST(LinearDecay, WarmupThatEndsInsideAUnit_EndsWithIt) {
  const proto::JobSpec job =
      MakeJob("schedule { local_steps: 4 } stop { max_rounds: 3 }",
              "linear_decay { warmup_steps: 1 }");

  EXPECT_THAT(
      RatesOf(AllPlans(job, MakeShards({10}))),
      ElementsAre(Pair(0.0f, 0.5f), Pair(0.5f, 0.25f), Pair(0.25f, 0.0f)));
}

TEST(LinearDecay, WarmupInsideTheOnlyUnit_IsNone) {
  const proto::JobSpec job =
      MakeJob("schedule { local_steps: 4 } stop { max_rounds: 1 }",
              "linear_decay { warmup_steps: 1 }");

  EXPECT_THAT(RatesOf(AllPlans(job, MakeShards({10}))),
              ElementsAre(Pair(0.5f, 0.0f)));
}

TEST(LinearDecay, WarmupEndsInsideOfAPartOfAnEpoch_IsRoundedUp) {
  const proto::JobSpec job =
      MakeJob("schedule { syncs_per_epoch: 4 } stop { max_epochs: 1 }",
              "linear_decay { warmup_steps: 4 }");

  EXPECT_THAT(
      RatesOf(AllPlans(job, MakeShards({100}))),  // 2, 3, 2, 3 steps
      ElementsAre(Pair(0.0f, FloatEq(0.2f)), Pair(FloatEq(0.2f), 0.5f),
                  Pair(0.5f, FloatEq(0.3f)), Pair(FloatEq(0.3f), 0.0f)));
}

TEST(ReduceOnPlateau, TakesTheRateOfTheNewestVerdict) {
  const proto::JobSpec job =
      MakeJob("schedule { local_epochs: 1 } stop { max_rounds: 9 }",
              "reduce_on_plateau {}");
  Past past;
  EXPECT_EQ(Rate(MakePlan(job, MakeShards({10}), past)
                     .cohort(0)
                     .train()
                     .lr_first_bits()),
            0.5f);

  past.verdict.emplace().set_learning_rate_bits(
      std::bit_cast<uint32_t>(0.125f));
  EXPECT_THAT(RatesOf({MakePlan(job, MakeShards({10}), past)}),
              ElementsAre(Pair(0.125f, 0.125f)));
}

TEST(BaseLearningRate, IsTheOptimizers) {
  proto::Training training;
  training.mutable_adamw();
  EXPECT_EQ(BaseLearningRate(training), 0.001);
  training.mutable_sgd();
  EXPECT_EQ(BaseLearningRate(training), 0.1);
}

}  // namespace
}  // namespace meanfield::schedule

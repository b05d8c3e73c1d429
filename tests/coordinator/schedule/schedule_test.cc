#include "coordinator/schedule/schedule.h"

#include <numeric>
#include <set>

#include "common/base/random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/coordinator/schedule/schedule_fixture.h"

namespace meanfield::schedule {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

TEST(LocalEpochs, WholeEpochsOfEachShard) {
  const proto::JobSpec job =
      MakeJob("schedule { local_epochs: 2 } stop { max_rounds: 3 }");

  const auto plans = AllPlans(job, MakeShards({100, 91, 90}));

  EXPECT_THAT(StepsOf(plans, 0), ElementsAre(20, 20, 20));
  EXPECT_THAT(StepsOf(plans, 1), ElementsAre(20, 20, 20));
  EXPECT_THAT(StepsOf(plans, 2), ElementsAre(18, 18, 18));
}

TEST(LocalEpochs, LastRoundStopsAtMaxEpochs) {
  const proto::JobSpec job =
      MakeJob("schedule { local_epochs: 2 } stop { max_epochs: 5 }");

  EXPECT_THAT(StepsOf(AllPlans(job, MakeShards({30})), 0),
              ElementsAre(6, 6, 3));
}

TEST(LocalSteps, RunUntilEveryShardHasDoneMaxEpochs) {
  const proto::JobSpec job =
      MakeJob("schedule { local_steps: 4 } stop { max_epochs: 2 }");
  const std::vector<ShardSize> shards = MakeShards({50, 41, 40});

  const auto plans = AllPlans(job, shards);

  EXPECT_EQ(PlannedRounds(job, shards, {}), 3u);
  EXPECT_THAT(StepsOf(plans, 0), ElementsAre(4, 4, 2));
  EXPECT_THAT(StepsOf(plans, 1), ElementsAre(4, 4, 2));
  EXPECT_THAT(StepsOf(plans, 2), ElementsAre(4, 4, 0));
  EXPECT_THAT(plans[2].cohort(), SizeIs(2));
}

TEST(SyncsPerEpoch, PartsOfAnEpochAddUpExactly) {
  const proto::JobSpec job =
      MakeJob("schedule { syncs_per_epoch: 4 } stop { max_epochs: 2 }");

  EXPECT_THAT(StepsOf(AllPlans(job, MakeShards({100})), 0),
              ElementsAre(2, 3, 2, 3, 2, 3, 2, 3));
}

TEST(SyncsPerEpoch, AnyNumber_DiffersByAtMostOneStep) {
  for (uint32_t syncs = 1; syncs <= 25; ++syncs) {
    const proto::JobSpec job =
        MakeJob("schedule { syncs_per_epoch: " + std::to_string(syncs) +
                " } stop { max_epochs: 3 }");
    const auto steps = StepsOf(AllPlans(job, MakeShards({230, 220})), 0);
    EXPECT_EQ(std::accumulate(steps.begin(), steps.end(), 0u), 3 * 23u);
    const auto [least, most] = std::minmax_element(steps.begin(), steps.end());
    EXPECT_LE(*most - *least, 1u) << syncs;
    EXPECT_GE(*least, 1u) << syncs;
  }
}

TEST(SyncsPerEpoch, MoreThanSteps_NoRoundIsEmpty) {
  const proto::JobSpec job =
      MakeJob("schedule { syncs_per_epoch: 9 } stop { max_epochs: 1 }");

  const auto plans = AllPlans(job, MakeShards({30, 20}));

  EXPECT_THAT(StepsOf(plans, 0), ElementsAre(1, 1, 1));
  EXPECT_THAT(StepsOf(plans, 1), ElementsAre(0, 1, 1));
}

TEST(PlannedRounds, TheEarlierLimitCounts) {
  const std::vector<ShardSize> shards = MakeShards({30});
  const auto rounds = [&](const std::string& stop) {
    return PlannedRounds(
        MakeJob("schedule { local_epochs: 1 } stop { " + stop + " }"), shards,
        {});
  };
  EXPECT_EQ(rounds("max_rounds: 8"), 8u);
  EXPECT_EQ(rounds("max_rounds: 8 max_epochs: 3"), 3u);
  EXPECT_EQ(rounds("max_rounds: 2 max_epochs: 3"), 2u);
  EXPECT_EQ(rounds("max_epochs: 4294967295"), 4294967295u);
}

TEST(PlannedRounds, HugeLimitsSaturate) {
  const proto::JobSpec job = MakeJob(
      "schedule { syncs_per_epoch: 4294967295 } stop { max_epochs: 4294967295 "
      "}");

  EXPECT_EQ(PlannedRounds(job, MakeShards({uint64_t{1} << 40}), {}),
            4294967295u);
}

TEST(Resume, WithHigherLimit_GoesOnWhereTheShardsStand) {
  const std::string steps = "schedule { local_steps: 4 } ";
  const std::vector<ShardSize> shards = MakeShards({50});
  Past past;
  for (const proto::RoundPlan& plan :
       AllPlans(MakeJob(steps + "stop { max_epochs: 1 }"), shards)) {
    past.Add(plan);
  }
  ASSERT_EQ(past.rounds, 2u);

  const proto::JobSpec job = MakeJob(steps + "stop { max_epochs: 2 }");
  EXPECT_EQ(PlannedRounds(job, shards, past), 4u);
  EXPECT_THAT(StepsOf(AllPlans(job, shards, past), 0, /*first=*/5),
              ElementsAre(4, 1));
}

TEST(Resume, WithLowerLimit_HasNothingLeft) {
  const std::string epochs = "schedule { local_epochs: 1 } ";
  Past past;
  for (const proto::RoundPlan& plan :
       AllPlans(MakeJob(epochs + "stop { max_rounds: 5 }"), MakeShards({50}))) {
    past.Add(plan);
  }

  EXPECT_EQ(PlannedRounds(MakeJob(epochs + "stop { max_rounds: 3 }"),
                          MakeShards({50}), past),
            5u);
}

TEST(Cohort, LeavesOutEmptyShards) {
  const proto::JobSpec job =
      MakeJob("schedule { local_steps: 4 } stop { max_rounds: 1 }");

  const proto::RoundPlan plan = MakePlan(job, MakeShards({10, 0, 5}), {});

  ASSERT_THAT(plan.cohort(), SizeIs(2));
  EXPECT_EQ(plan.cohort(1).shard(), 2u);
}

TEST(Cohort, WeighsWholeShardsByExamplesOrTokens) {
  const std::string text = "schedule { local_steps: 1 } stop { max_rounds: 1 }";
  const std::vector<ShardSize> shards = MakeShards({55});

  EXPECT_EQ(MakePlan(MakeJob(text), shards, {}).cohort(0).weight(), 55u);
  EXPECT_EQ(MakePlan(MakeJob(text + "weight_by: TOKENS"), shards, {})
                .cohort(0)
                .weight(),
            100u);
}

TEST(Seeds, DependOnRoundAndShard_OrderOnShardOnly) {
  const proto::JobSpec job =
      MakeJob("schedule { local_epochs: 1 } stop { max_rounds: 2 }");

  const auto plans = AllPlans(job, MakeShards({10, 10}));

  std::set<uint64_t> seeds;
  std::set<uint64_t> orders;
  for (const proto::RoundPlan& plan : plans) {
    for (const proto::ShardPlan& shard : plan.cohort()) {
      seeds.insert(shard.train().seed());
      orders.insert(shard.train().order_seed());
    }
  }
  EXPECT_THAT(seeds, SizeIs(4));
  EXPECT_THAT(orders, SizeIs(2));
  EXPECT_EQ(plans[1].cohort(1).train().seed(),
            DeriveSeed({.job_seed = 7,
                        .round = 2,
                        .task = "t",
                        .shard = 1,
                        .purpose = "train"}));
}

TEST(Seeds, DoNotDependOnLimitsOrServerOptimizer) {
  const std::string epochs = "schedule { local_epochs: 1 } ";
  const proto::RoundPlan a = MakePlan(
      MakeJob(epochs + "stop { max_rounds: 2 }"), MakeShards({10}), {});
  const proto::RoundPlan b =
      MakePlan(MakeJob(epochs + "stop { max_epochs: 9 } server_optimizer { "
                                "nesterov { learning_rate: 0.7 } }"),
               MakeShards({10}), {});

  EXPECT_EQ(a.SerializeAsString(), b.SerializeAsString());
}

TEST(Evaluate, EveryNthRoundAndTheLast) {
  const proto::JobSpec job = MakeJob(
      "schedule { local_epochs: 1 } stop { max_rounds: 5 } "
      "evaluate_every: 2");
  std::vector<bool> evaluated;
  for (const proto::RoundPlan& plan : AllPlans(job, MakeShards({10}))) {
    evaluated.push_back(plan.evaluate());
  }
  EXPECT_THAT(evaluated, ElementsAre(false, true, false, true, true));
}

}  // namespace
}  // namespace meanfield::schedule

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/coordinator/schedule/schedule_fixture.h"

namespace meanfield::schedule {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

proto::EvaluationRecord Evaluation(double accuracy, double loss = 1) {
  proto::EvaluationRecord evaluation;
  proto::Score& score = *evaluation.add_scores();
  score.set_name("accuracy");
  score.set_value(accuracy);
  evaluation.set_loss(loss);
  return evaluation;
}

// Verdicts of one evaluation after another, from round 1 on.
std::vector<proto::Verdict> JudgeAll(
    const proto::JobSpec& job,
    const std::vector<std::optional<proto::EvaluationRecord>>& evaluations) {
  std::vector<proto::Verdict> verdicts;
  std::optional<proto::Verdict> previous;
  for (const auto& evaluation : evaluations) {
    proto::RoundPlan plan;
    plan.set_round(static_cast<uint32_t>(verdicts.size() + 1));
    previous = Judge(job, plan, previous, evaluation);
    verdicts.push_back(*previous);
  }
  return verdicts;
}

TEST(BestModel, IsStrictlyBetter_TiesKeepTheOlder) {
  const auto verdicts =
      JudgeAll(MakeJob(""), {Evaluation(0.5), Evaluation(0.5, 0.1),
                             Evaluation(0.6), Evaluation(0.4)});

  EXPECT_TRUE(verdicts[0].is_best());
  EXPECT_FALSE(verdicts[1].is_best());
  EXPECT_TRUE(verdicts[2].is_best());
  EXPECT_FALSE(verdicts[3].is_best());
  EXPECT_EQ(verdicts[3].best_round(), 3u);
  EXPECT_EQ(verdicts[3].best_score(), 0.6);
}

TEST(BestModel, FirstScoreIsOne_AlsoZero) {
  const auto verdicts =
      JudgeAll(MakeJob(""), {Evaluation(0), Evaluation(0), Evaluation(0.1)});

  EXPECT_TRUE(verdicts[0].is_best());
  EXPECT_FALSE(verdicts[1].is_best());
  EXPECT_TRUE(verdicts[2].is_best());
}

TEST(BestModel, ScoreThatIsNotANumber_NeverIs) {
  const auto verdicts =
      JudgeAll(MakeJob(""), {Evaluation(std::nan("")), Evaluation(0.1)});

  EXPECT_FALSE(verdicts[0].is_best());
  EXPECT_FALSE(verdicts[0].has_best_score());
  EXPECT_TRUE(verdicts[1].is_best());
}

TEST(BestModel, WithoutDevSplit_IsTheLast) {
  const auto verdicts = JudgeAll(MakeJob("stop { early_stopping_patience: 1 }"),
                                 {std::nullopt, std::nullopt});

  EXPECT_TRUE(verdicts[1].is_best());
  EXPECT_THAT(verdicts[1].stop_reason(), IsEmpty());
  EXPECT_FALSE(verdicts[1].has_best_score());
  EXPECT_EQ(Rate(verdicts[1].learning_rate_bits()), 0.5f);
}

TEST(EarlyStop, AfterPatienceEvaluationsInARow) {
  const auto verdicts =
      JudgeAll(MakeJob("stop { early_stopping_patience: 2 }"),
               {Evaluation(0.5), Evaluation(0.4), Evaluation(0.6),
                Evaluation(0.6), Evaluation(0.5)});

  EXPECT_THAT(verdicts[3].stop_reason(), IsEmpty());
  EXPECT_EQ(verdicts[4].stop_reason(),
            "early stopping: 2 evaluations in a row without a better accuracy "
            "than 0.6 of round 3");
}

TEST(EarlyStop, PatienceZero_IsNever) {
  const auto verdicts =
      JudgeAll(MakeJob("stop { early_stopping_patience: 0 }"),
               {Evaluation(0.5), Evaluation(0.4), Evaluation(0.3)});

  EXPECT_THAT(verdicts[2].stop_reason(), IsEmpty());
}

// The trace of Flair 0.15.1's AnnealOnPlateau in mode "max".
TEST(ReduceOnPlateau, DecidesAsFlair) {
  proto::JobSpec job =
      MakeJob("", "reduce_on_plateau { factor: 0.5 patience: 1 }");
  job.mutable_task(0)->mutable_training()->mutable_sgd()->set_learning_rate(
      0.1);

  const auto verdicts = JudgeAll(
      job, {Evaluation(0.5, 1.0), Evaluation(0.5, 0.9), Evaluation(0.4, 0.8),
            Evaluation(0.5, 0.95), Evaluation(0.6, 0.7), Evaluation(0.6, 0.7),
            Evaluation(0.6, 0.7), Evaluation(0.6, 0.6)});

  std::vector<float> rates;
  std::vector<uint32_t> bad;
  for (const proto::Verdict& verdict : verdicts) {
    rates.push_back(Rate(verdict.learning_rate_bits()));
    bad.push_back(verdict.plateau_bad());
  }
  EXPECT_THAT(rates, ElementsAre(0.1f, 0.1f, 0.1f, 0.05f, 0.05f, 0.05f, 0.025f,
                                 0.025f));
  EXPECT_THAT(bad, ElementsAre(0, 0, 1, 0, 0, 1, 0, 0));
}

TEST(ReduceOnPlateau, BelowTheMinimum_Ends) {
  const proto::JobSpec job =
      MakeJob("",
              "reduce_on_plateau { factor: 0.5 patience: 0 min_learning_rate: "
              "0.25 }");

  const auto verdicts =
      JudgeAll(job, {Evaluation(0.5), Evaluation(0.5), Evaluation(0.5)});

  EXPECT_THAT(verdicts[1].stop_reason(), IsEmpty());  // 0.25 is not below
  EXPECT_THAT(verdicts[2].stop_reason(),
              HasSubstr("0.125 for want of progress, is below "
                        "min_learning_rate 0.25"));
}

TEST(Divergence, NonFiniteLoss_EndsTheRunAndIsNotTheBest) {
  const auto verdicts = JudgeAll(
      MakeJob(""), {Evaluation(0.5),
                    Evaluation(0.9, std::numeric_limits<double>::infinity())});

  EXPECT_TRUE(verdicts[1].diverged());
  EXPECT_FALSE(verdicts[1].is_best());
  EXPECT_EQ(verdicts[1].best_round(), 1u);
  EXPECT_THAT(verdicts[1].stop_reason(),
              HasSubstr("the dev loss after round 2 is inf"));
}

TEST(Judge, LastPlannedRound_Ends) {
  proto::RoundPlan plan;
  plan.set_round(8);
  plan.set_last(true);

  EXPECT_EQ(
      Judge(MakeJob(""), plan, std::nullopt, Evaluation(0.5)).stop_reason(),
      "all 8 planned rounds are done");
}

TEST(MainScore, SumsWhatIsNamed) {
  proto::EvaluationRecord evaluation = Evaluation(0.5);
  proto::Score& f1 = *evaluation.add_scores();
  f1.set_name("macro_f1");
  f1.set_value(0.25);

  EXPECT_EQ(MainScore("macro_f1", evaluation), 0.25);
  EXPECT_EQ(MainScore("accuracy + macro_f1", evaluation), 0.75);
  EXPECT_EQ(MainScore("", evaluation), 0.5);
  EXPECT_EQ(MainScore("accuracy + mcc", evaluation), std::nullopt);
  EXPECT_EQ(MainScore("", proto::EvaluationRecord()), std::nullopt);
}

}  // namespace
}  // namespace meanfield::schedule

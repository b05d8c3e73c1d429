#include <string>

#include "absl/strings/str_split.h"
#include "coordinator/report/display_width.h"
#include "coordinator/report/report.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/coordinator/report/sample_run.h"

namespace meanfield::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::SampleRun;

TEST(ReportText, Headline_IsTheTestOfTheBestModelAgainstTheMajority) {
  const std::string text = ReportText(SampleRun(), "runs/toy");
  EXPECT_THAT(text, HasSubstr("test accuracy 0.7561, macro-F1 0.6123 (always "
                              "saying \"libs\": 0.1100)"));
  EXPECT_THAT(text, HasSubstr("that of round 2 of 3"));
  EXPECT_THAT(text, HasSubstr("after 41.3 s"));
}

TEST(ReportText, NoLine_IsWiderThanAScreen) {
  proto::RunDetails run = SampleRun();
  run.mutable_run()->set_reason(std::string(30, 'a') + std::string(90, ' ') +
                                std::string(60, 'b'));
  testing::AddClass("日本語の長いラベルの名前がここにあります", 3,
                    *run.mutable_tests(0));
  run.mutable_workers(0)->set_id(std::string(200, 'w'));
  run.mutable_workers(0)->set_device("cuda:0 NVIDIA H100 80GB (GPU-0123-4567)");
  run.mutable_workers(0)->set_examples(123'456'789'012);

  for (const absl::string_view line :
       absl::StrSplit(ReportText(run, "runs/toy"), '\n')) {
    EXPECT_LE(DisplayWidth(std::string(line)), 80) << line;
  }
}

TEST(ReportText, ManyClasses_EndWithAPointerToTheRest) {
  proto::RunDetails run = SampleRun();
  for (int i = 0; i < 56; ++i) {
    testing::AddClass(absl::StrCat("class", i), 1, *run.mutable_tests(0));
  }
  const std::string text = ReportText(run, "runs/toy");
  EXPECT_THAT(text, HasSubstr("33 more classes: final.classes in report.json"));
  EXPECT_THAT(text, HasSubstr("class22"));
  EXPECT_THAT(text, Not(HasSubstr("class23")));
}

TEST(ReportText, ConfusionAndWorkers_AreNamed) {
  const std::string text = ReportText(SampleRun(), "runs/toy");
  EXPECT_THAT(text, HasSubstr("libdevel (23)"));
  EXPECT_THAT(text, HasSubstr("host:cpu:1"));
  EXPECT_THAT(text, HasSubstr("412 MB"));
}

TEST(ReportText, BestBeforeTheLastRound_SuggestsASmallerRate) {
  const std::string text = ReportText(SampleRun(), "runs/my toy");
  EXPECT_THAT(text, HasSubstr("meanfield predict 'runs/my toy' < texts.txt"));
  EXPECT_THAT(text, HasSubstr("train again with\n    --set "
                              "task.training.sgd.learning_rate=8"));
}

TEST(ReportText, BestInTheLastRound_SuggestsMoreRounds) {
  proto::RunDetails run = SampleRun();
  run.mutable_run()->set_best_round(3);
  EXPECT_THAT(ReportText(run, "x"), HasSubstr("--set stop.max_rounds=6"));
}

TEST(ReportText, NoScoreAboveZero_SuggestsMoreRounds) {
  proto::RunDetails run = SampleRun();
  for (proto::Verdict& verdict : *run.mutable_verdicts()) {
    verdict.set_main_score(0);
  }
  EXPECT_THAT(ReportText(run, "x"), HasSubstr("--set stop.max_rounds=15"));
}

TEST(ReportText, FailedRun_SaysWhyAndHasNoTest) {
  proto::RunDetails run;
  run.mutable_run()->set_id("x");
  run.mutable_run()->set_state(proto::FAILED);
  run.mutable_run()->set_reason("disk full");
  const std::string text = ReportText(run, "runs/x");
  EXPECT_THAT(text, HasSubstr("disk full"));
  EXPECT_THAT(text, HasSubstr("There is no trained model."));
  EXPECT_THAT(text, Not(HasSubstr("What to try next")));
}

TEST(ReportText, Warnings_AreShownUpToTen) {
  proto::RunDetails run = SampleRun();
  for (int i = 0; i < 12; ++i) {
    run.mutable_run()->add_warnings("train.txt:" + std::to_string(i) + ": odd");
  }
  const std::string text = ReportText(run, "");
  EXPECT_THAT(text, HasSubstr("\nWarnings\n  train.txt:0: odd\n"));
  EXPECT_THAT(text, HasSubstr("  2 more: warnings in report.json\n"));
}

TEST(ReportText, SpanScores_HaveNoMajority) {
  proto::RunDetails run = SampleRun();
  run.mutable_run()->mutable_job()->mutable_task(0)->set_metric("micro_f1");
  proto::EvaluationRecord& test = *run.mutable_tests(0);
  test.clear_scores();
  testing::AddScore("micro_f1", 0.5, test);
  testing::AddScore("macro_f1", 0.4, test);
  testing::AddScore("accuracy", 0.3, test);
  const std::string text = ReportText(run, "x");
  EXPECT_THAT(text, HasSubstr("test micro-F1 0.5000, macro-F1 0.4000\n"));
}

}  // namespace
}  // namespace meanfield::report

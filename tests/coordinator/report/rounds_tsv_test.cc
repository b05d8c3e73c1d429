#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "coordinator/report/report.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/coordinator/report/sample_run.h"

namespace meanfield::report {
namespace {

using ::testing::ElementsAre;
using testing::SampleRun;

std::vector<std::vector<std::string>> Rows(const std::string& tsv) {
  std::vector<std::vector<std::string>> rows;
  for (const absl::string_view line :
       absl::StrSplit(tsv, '\n', absl::SkipEmpty())) {
    rows.push_back(absl::StrSplit(line, '\t'));
  }
  return rows;
}

TEST(RoundsTsv, Rows_HaveRunningTotalsAndScores) {
  const auto rows = Rows(RoundsTsv(SampleRun()));

  ASSERT_EQ(rows.size(), 4);
  EXPECT_THAT(rows[0], ElementsAre("round", "wall_s", "cumulative_tokens",
                                   "cumulative_examples", "cumulative_bytes",
                                   "epochs_per_worker", "train_loss", "lr",
                                   "dev_accuracy", "dev_macro_f1", "dev_loss"));
  EXPECT_THAT(rows[2], ElementsAre("2", "2.5", "2000", "200", "10000", "1", "1",
                                   "16", "0.75", "0.375", "1.5"));
}

TEST(RoundsTsv, RoundWithoutEvaluation_HasEmptyCells) {
  proto::RunDetails run = SampleRun();
  run.mutable_verdicts()->DeleteSubrange(1, 1);
  const auto rows = Rows(RoundsTsv(run));
  ASSERT_EQ(rows[2].size(), 11);
  EXPECT_EQ(rows[2][8], "");
  EXPECT_EQ(rows[2][10], "");
}

TEST(RoundsTsv, Scores_AreReadBackAsTheSameNumber) {
  proto::RunDetails run = SampleRun();
  run.mutable_verdicts(0)->mutable_dev()->set_loss(0.1 + 0.2);
  const auto rows = Rows(RoundsTsv(run));
  EXPECT_EQ(std::stod(rows[1][10]), 0.1 + 0.2);
}

TEST(RoundsTsv, NoRounds_IsTheHeaderOnly) {
  EXPECT_EQ(Rows(RoundsTsv(proto::RunDetails())).size(), 1);
}

}  // namespace
}  // namespace meanfield::report

// `meanfield train` with real worker processes on loopback.
#include <filesystem>

#include "gmock/gmock.h"
#include "tests/integration/training_fixture.h"

namespace meanfield::testing {
namespace {

using ::testing::HasSubstr;

class TrainTest : public TrainingTest {};

TEST_F(TrainTest, Classifier_LearnsAndWritesTheWholeOutputFolder) {
  const ProcessResult result = RunProcess(
      TrainCommand(ClassifierJob(/*shards=*/4, /*rounds=*/5), "out", 2));

  ASSERT_EQ(result.exit_code, 0) << result.err << result.out;
  const nlohmann::json report = Report("out");
  EXPECT_GT(report["final"]["test"]["accuracy"].get<double>(), 0.8);
  EXPECT_EQ(report["rounds"].size(), 5u);
  EXPECT_EQ(report["workers"].size(), 2u);
  for (const char* name :
       {"report.txt", "rounds.tsv", "manifest.json", "best.safetensors",
        "final.safetensors", "model.json", "training.json", "dictionaries.json",
        "predictions/dev.tsv", "predictions/test.tsv", "log.txt"}) {
    EXPECT_TRUE(std::filesystem::exists(Out("out") + "/" + name)) << name;
  }
}

TEST_F(TrainTest, Tagger_LearnsTokenTags) {
  const ProcessResult result =
      RunProcess(TrainCommand(TaggerJob(/*shards=*/2, /*rounds=*/6), "out", 2));

  ASSERT_EQ(result.exit_code, 0) << result.err << result.out;
  EXPECT_GT(Report("out")["best"]["score"].get<double>(), 0.8);
}

TEST_F(TrainTest, OneTwoAndThreeWorkers_GiveTheSameModel) {
  for (const std::string& job : {ClassifierJob(/*shards=*/4, /*rounds=*/3),
                                 TaggerJob(/*shards=*/4, /*rounds=*/2)}) {
    const std::string stem = std::filesystem::path(job).stem();
    for (int workers = 1; workers <= 3; ++workers) {
      const std::string out = stem + std::to_string(workers);
      ASSERT_EQ(RunProcess(TrainCommand(job, out, workers)).exit_code, 0);
      EXPECT_EQ(FinalHash(out), FinalHash(stem + "1")) << out;
    }
  }
}

TEST_F(TrainTest, OptionsBeforeTheJob_TakeOneValueEach) {
  const ProcessResult result =
      RunProcess({Program("meanfield"), "train", "--set", "seed=7",
                  ClassifierJob(2, 1), "--workers", "1", "--dry-run"});

  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("seed: 7"));
}

TEST_F(TrainTest, MixedPrecisionOnTheCpu_IsBadUsageAndLeavesNothing) {
  const ProcessResult result = RunProcess(TrainCommand(
      TaggerJob(2, 1), "out", 1, {"--set", "task.training.precision=BF16"}));

  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("BF16 needs GPUs"));
  EXPECT_FALSE(std::filesystem::exists(Out("out")));
}

TEST_F(TrainTest, UsedOutFolder_IsRefused) {
  folder_.Write("out/precious.txt", "keep me");

  const ProcessResult result = RunProcess(
      TrainCommand(ClassifierJob(/*shards=*/1, /*rounds=*/1), "out", 1));

  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("out"));
  EXPECT_EQ(ReadFile(Out("out") + "/precious.txt"), "keep me");
}

TEST_F(TrainTest, DryRun_ExplainsAndLeavesNothing) {
  const ProcessResult result = RunProcess(TrainCommand(
      ClassifierJob(/*shards=*/4, /*rounds=*/5), "out", 2, {"--dry-run"}));

  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("shards: 4"));
  EXPECT_FALSE(std::filesystem::exists(Out("out")));
}

TEST_F(TrainTest, FaultyJob_NamesEveryFaultAndLeavesNothing) {
  const std::string job = folder_.Write("bad.textproto",
                                        "shards: 0\n"
                                        "task { modle {} }\n"
                                        "stop { max_rounds: ten }\n");

  const ProcessResult result = RunProcess(TrainCommand(job, "out", 1));

  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("bad.textproto:1:"));
  EXPECT_THAT(result.err, HasSubstr("bad.textproto:2:8"));
  EXPECT_THAT(result.err, HasSubstr("bad.textproto:3:"));
  EXPECT_FALSE(std::filesystem::exists(Out("out")));
}

TEST_F(TrainTest, Predict_GivesALabelAndAProbabilityALine) {
  ASSERT_EQ(RunProcess(TrainCommand(ClassifierJob(/*shards=*/2, /*rounds=*/4),
                                    "out", 2))
                .exit_code,
            0);

  const ProcessResult result =
      RunProcess({Program("meanfield"), "predict", Out("out")},
                 {.in = "c1w1 c1w2 c1w3\n\nc3w4 c3w5 c3w1\n"});

  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, ::testing::MatchesRegex("class1\t[01]\\.[0-9]+\n"
                                                  "class[0-3]\t[01]\\.[0-9]+\n"
                                                  "class3\t[01]\\.[0-9]+\n"));
}

TEST_F(TrainTest, FoldOnAGpuThatIsNotThere_IsBadUsageAndLeavesNothing) {
  const ProcessResult result =
      RunProcess(TrainCommand(ClassifierJob(/*shards=*/1, /*rounds=*/1), "out",
                              1, {"--fold-device", "cuda"}));

  if (result.exit_code == 0) GTEST_SKIP() << "there is a GPU here";
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(Out("out")));
}

TEST_F(TrainTest, MissingWorkerProgram_IsBadUsageAndLeavesNothing) {
  const ProcessResult result = RunProcess(
      TrainCommand(ClassifierJob(/*shards=*/1, /*rounds=*/1), "out", 1),
      {.environment = {"MEANFIELD_WORKER=/nonexistent/worker"}});

  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("/nonexistent/worker"));
  EXPECT_FALSE(std::filesystem::exists(Out("out")));
}

}  // namespace
}  // namespace meanfield::testing

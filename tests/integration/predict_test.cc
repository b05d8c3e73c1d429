// What `meanfield predict` does with files and outputs that are not as hoped.
#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "tests/integration/training_fixture.h"

namespace meanfield::testing {
namespace {

using ::testing::HasSubstr;

class PredictTest : public TrainingTest {
 protected:
  void SetUp() override {
    const ProcessResult trained = RunProcess(TrainCommand(
        ClassifierJob(/*shards=*/1, /*rounds=*/1), "out", /*workers=*/1));
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
  }
  ProcessResult Predict(const std::string& in,
                        std::vector<std::string> environment = {}) {
    return RunProcess({Program("meanfield"), "predict", Out("out")},
                      {.in = in, .environment = std::move(environment)});
  }
};

TEST_F(PredictTest, ChangedWeights_AreRefused) {
  const std::string path = Out("out") + "/best.safetensors";
  std::string bytes = ReadFile(path);
  bytes[bytes.size() - 30] ^= 0x40;
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary) << bytes;

  const ProcessResult result = Predict("c1w1\n");

  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("changed or damaged"));
  EXPECT_EQ(result.out, "");
}

TEST_F(PredictTest, TextsThatAreNotUtf8_AreBadData) {
  const ProcessResult result = Predict("c1w1 \xff\xfe\n");

  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("UTF-8"));
}

TEST_F(PredictTest, FolderInPlaceOfTexts_IsBadUsage) {
  const ProcessResult result =
      RunProcess({Program("meanfield"), "predict", Out("out"), folder_.path()});

  EXPECT_EQ(result.exit_code, 2);
}

TEST_F(PredictTest, FullOutput_IsAFailure) {
  const ProcessResult result =
      RunProcess({"bash", "-c",
                  "echo c1w1 | " + Program("meanfield") + " predict " +
                      Out("out") + " > /dev/full"});

  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("standard output"));
}

TEST_F(PredictTest, WorkerThatDies_EndsItAtOnceWithTheReason) {
  const std::string worker =
      folder_.Write("worker", "#!/bin/sh\necho no luck\nexit 7\n");
  std::filesystem::permissions(worker, std::filesystem::perms::owner_all);

  const ProcessResult result =
      Predict("c1w1\n", {"MEANFIELD_WORKER=" + worker});

  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("no luck"));
}

}  // namespace
}  // namespace meanfield::testing

// Runs that were cut off and go on: `meanfield train --resume`, and the service
// by itself.
#include <signal.h>

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "tests/integration/services_fixture.h"

namespace meanfield::testing {
namespace {

using ::testing::HasSubstr;

constexpr int kManyRounds = 40;  // so that signals arrive while they run

class ResumeTest : public ServicesFixture {
 protected:
  ProcessResult Resume(const std::string& out,
                       const std::vector<std::string>& more = {}) const {
    std::vector<std::string> command = {
        Program("meanfield"), "train", "--resume", "--out", Out(out),
        "--workers",          "2"};
    command.insert(command.end(), more.begin(), more.end());
    return RunProcess(command);
  }
};

TEST_F(ResumeTest, TrainKilledTwice_SameModelAndReport) {
  const std::string job = TaggerJob(/*shards=*/3, kManyRounds);
  ASSERT_EQ(RunProcess(TrainCommand(job, "calm", 2)).exit_code, 0);
  {
    Process train(TrainCommand(job, "out", 2));
    ASSERT_TRUE(train.WaitForOutput("round 3"));
    train.Signal(SIGKILL);
    train.Wait();
  }
  {
    Process again({Program("meanfield"), "train", "--resume", "--out",
                   Out("out"), "--workers", "3"});
    ASSERT_TRUE(again.WaitForOutput("round 12"));
    again.Signal(SIGKILL);
    again.Wait();
  }

  const ProcessResult result = Resume("out");

  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_EQ(FinalHash("out"), FinalHash("calm"));
  EXPECT_EQ(Report("out")["best"], Report("calm")["best"]);
  EXPECT_EQ(Report("out")["rounds"].size(), size_t{kManyRounds});
}

TEST_F(ResumeTest, InterruptedByCtrlC_GoesOnWithTheJobFile) {
  const std::string job = ClassifierJob(/*shards=*/4, kManyRounds);
  ASSERT_EQ(RunProcess(TrainCommand(job, "calm", 2)).exit_code, 0);
  Process train(TrainCommand(job, "out", 2));
  ASSERT_TRUE(train.WaitForOutput("round 3"));
  train.Signal(SIGINT);
  ASSERT_EQ(train.Wait().exit_code, 3);

  const ProcessResult result =
      RunProcess(TrainCommand(job, "out", 1, {"--resume"}));

  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_EQ(FinalHash("out"), FinalHash("calm"));
}

TEST_F(ResumeTest, MoreRoundsOfAFinishedRun_AreThoseOfALongerJob) {
  ASSERT_EQ(RunProcess(TrainCommand(ClassifierJob(4, 6), "calm", 2)).exit_code,
            0);
  ASSERT_EQ(RunProcess(TrainCommand(ClassifierJob(4, 3), "out", 2)).exit_code,
            0);

  const ProcessResult result = Resume("out", {"--set", "stop.max_rounds=6"});

  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_EQ(FinalHash("out"), FinalHash("calm"));
}

TEST_F(ResumeTest, AnotherJob_IsRefusedAndNamesTheField) {
  ASSERT_EQ(RunProcess(TrainCommand(ClassifierJob(2, 1), "out", 1)).exit_code,
            0);

  const ProcessResult result =
      Resume("out", {"--set", "task.training.batch_size=9"});

  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("batch_size"));
}

TEST_F(ResumeTest, FolderWithoutARun_IsBadUsage) {
  const ProcessResult result = Resume("nowhere");

  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("there is no run in"));
}

TEST_F(ResumeTest, CoordinatorKilledAndStarted_WorkersAndRunGoOn) {
  const std::string job = ClassifierJob(/*shards=*/4, kManyRounds);
  StartCoordinator();
  const auto one = StartWorker("one");
  const auto two = StartWorker("two");
  const std::string run = Submit(job);
  Process watch(
      {Program("meanfield"), "watch", run, "--coordinator", address_});
  ASSERT_TRUE(watch.WaitForOutput("round 3"));

  coordinator_->Signal(SIGKILL);
  coordinator_->Wait();
  StartCoordinator(address_);

  const ProcessResult watched = Client({"watch", run});
  ASSERT_EQ(watched.exit_code, 0) << watched.out << watched.err;
  EXPECT_EQ(Show(run)["final"]["model_hash"], CalmHash(job));
}

}  // namespace
}  // namespace meanfield::testing

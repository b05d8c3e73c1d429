// What a run does when processes die.
#include <signal.h>

#include "gmock/gmock.h"
#include "tests/integration/training_fixture.h"

namespace meanfield::testing {
namespace {

using ::testing::HasSubstr;

class FaultsTest : public TrainingTest {};

// Enough rounds that signals arrive while they run.
constexpr int kManyRounds = 40;

TEST_F(FaultsTest, WorkerKilledMidRun_SameModel) {
  const std::string job = ClassifierJob(/*shards=*/4, kManyRounds);
  ASSERT_EQ(RunProcess(TrainCommand(job, "calm", 2)).exit_code, 0);

  Process train(TrainCommand(job, "killed", 2));
  ASSERT_TRUE(train.WaitForOutput("round 2"));
  const std::vector<pid_t> workers = ChildrenOf(train.pid());
  ASSERT_EQ(workers.size(), 2u);
  kill(workers[0], SIGKILL);
  const ProcessResult result = train.Wait();

  ASSERT_EQ(result.exit_code, 0) << result.err << result.out;
  EXPECT_EQ(FinalHash("killed"), FinalHash("calm"));
}

TEST_F(FaultsTest, EveryWorkerKilled_StopsWithCodeThreeAndSaysWhy) {
  Process train(
      TrainCommand(ClassifierJob(/*shards=*/4, kManyRounds), "out", 2));
  ASSERT_TRUE(train.WaitForOutput("round 2"));
  for (const pid_t worker : ChildrenOf(train.pid())) kill(worker, SIGKILL);
  const ProcessResult result = train.Wait();

  EXPECT_EQ(result.exit_code, 3) << result.err << result.out;
  EXPECT_THAT(result.err + result.out, HasSubstr("signal 9"));
}

TEST_F(FaultsTest, Interrupt_EndsResumableAndLeavesNoProcess) {
  Process train(
      TrainCommand(ClassifierJob(/*shards=*/4, kManyRounds), "out", 2));
  ASSERT_TRUE(train.WaitForOutput("round 2"));
  const std::vector<pid_t> workers = ChildrenOf(train.pid());
  train.Signal(SIGINT);

  EXPECT_EQ(train.Wait().exit_code, 3);
  for (const pid_t worker : workers) WaitUntilGone(worker);
}

TEST_F(FaultsTest, ParentKilled_LeavesNoWorker) {
  Process train(
      TrainCommand(ClassifierJob(/*shards=*/4, kManyRounds), "out", 2));
  ASSERT_TRUE(train.WaitForOutput("round 2"));
  const std::vector<pid_t> workers = ChildrenOf(train.pid());
  ASSERT_EQ(workers.size(), 2u);
  train.Signal(SIGKILL);

  EXPECT_EQ(train.Wait().exit_code, 128 + SIGKILL);
  for (const pid_t worker : workers) WaitUntilGone(worker);
}

}  // namespace
}  // namespace meanfield::testing

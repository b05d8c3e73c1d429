// A coordinator, workers and clients from separate shells.
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

class ServicesTest : public ServicesFixture {};

TEST_F(ServicesTest, WorkersKilledStoppedAndJoinedAtWill_SameModelAsTrain) {
  const std::string job = ClassifierJob(/*shards=*/4, kManyRounds);
  StartCoordinator();
  const std::string run = Submit(job);  // before any worker is there
  Process watch(
      {Program("meanfield"), "watch", run, "--coordinator", address_});
  auto first = StartWorker("first");
  auto second = StartWorker("second");
  ASSERT_TRUE(watch.WaitForOutput("round 2"));

  first->Signal(SIGKILL);
  auto third = StartWorker("third");
  ASSERT_TRUE(watch.WaitForOutput("round 6"));
  second->Signal(SIGTERM);
  first = StartWorker("first");
  ASSERT_TRUE(watch.WaitForOutput("round 10"));
  third->Signal(SIGSTOP);
  second = StartWorker("second");

  const ProcessResult watched = watch.Wait();
  third->Signal(SIGCONT);
  ASSERT_EQ(watched.exit_code, 0) << watched.out << watched.err;
  EXPECT_EQ(Show(run)["final"]["model_hash"], CalmHash(job));
}

TEST_F(ServicesTest, WorkerBeforeTheCoordinator_FindsIt) {
  StartCoordinator();
  coordinator_->Signal(SIGTERM);
  EXPECT_EQ(coordinator_->Wait().exit_code, 0);
  const auto worker = StartWorker("early");
  ASSERT_TRUE(worker->WaitForOutput("waiting_for_coordinator"));

  StartCoordinator(address_);
  const std::string run = Submit(ClassifierJob(/*shards=*/2, /*rounds=*/2));

  EXPECT_EQ(Client({"watch", run}).exit_code, 0);
}

TEST_F(ServicesTest, TwoRuns_GoOneAfterTheOther) {
  StartCoordinator();
  const auto worker = StartWorker("only");
  const std::string job = ClassifierJob(/*shards=*/2, /*rounds=*/2);
  const std::string one = Submit(job);
  const std::string two = Submit(job);

  EXPECT_EQ(Client({"watch", two}).exit_code, 0);

  const auto runs = nlohmann::json::parse(Client({"runs", "--json"}).out);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0]["state"], "DONE");
  EXPECT_EQ(runs[1]["state"], "DONE");
  EXPECT_EQ(Show(one)["final"]["model_hash"], Show(two)["final"]["model_hash"]);
}

TEST_F(ServicesTest, Workers_AreListedWithWhatTheyDo) {
  StartCoordinator();
  EXPECT_THAT(Client({"workers"}).out, HasSubstr("no workers"));
  const auto worker = StartWorker("gpu-box");
  ASSERT_TRUE(coordinator_->WaitForOutput("worker_joined"));

  const auto workers = nlohmann::json::parse(Client({"workers", "--json"}).out);

  ASSERT_EQ(workers.size(), 1u);
  EXPECT_EQ(workers[0]["name"], "gpu-box");
  EXPECT_EQ(workers[0]["pid"], worker->pid());
  EXPECT_TRUE(workers[0]["unit"].is_null());
}

TEST_F(ServicesTest, CancelledRun_EndsAndTheWorkerServesTheNext) {
  StartCoordinator();
  const auto worker = StartWorker("only");
  const std::string run =
      Submit(ClassifierJob(/*shards=*/2, /*rounds=*/100000));
  Process watch(
      {Program("meanfield"), "watch", run, "--coordinator", address_});
  ASSERT_TRUE(watch.WaitForOutput("round 2"));

  EXPECT_EQ(Client({"cancel", run, "--reason", "enough"}).exit_code, 0);

  EXPECT_EQ(watch.Wait().exit_code, 3);
  const std::string next = Submit(ClassifierJob(/*shards=*/2, /*rounds=*/1));
  EXPECT_EQ(Client({"watch", next}).exit_code, 0);
}

TEST_F(ServicesTest, CorpusOutsideTheRoots_IsRefusedWithWhatToDo) {
  StartCoordinator();
  const TemporaryFolder elsewhere;
  elsewhere.Write("train.txt", ToyTexts(/*count=*/20, /*seed=*/1));
  const std::string job = elsewhere.Write(
      "job.textproto",
      "task { corpus { fasttext { train: \"train.txt\" } } model { "
      "text_classifier {} } } stop { max_rounds: 1 }\n");

  const ProcessResult result = Client({"submit", job});

  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr(elsewhere.File("train.txt")));
  EXPECT_THAT(result.err, HasSubstr(folder_.path()));
  EXPECT_THAT(result.err, HasSubstr("--corpus-root"));
}

TEST_F(ServicesTest, Export_IsTheOutputFolderOfTrainAndPredicts) {
  const std::string job = ClassifierJob(/*shards=*/2, /*rounds=*/3);
  StartCoordinator();
  const auto worker = StartWorker("only");
  const std::string run = Submit(job);
  ASSERT_EQ(Client({"watch", run}).exit_code, 0);

  const ProcessResult result = Client({"export", run, "--out", Out("fetched")});

  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(RunProcess(TrainCommand(job, "calm", 2)).exit_code, 0);
  for (const char* file : {"best.safetensors", "final.safetensors",
                           "model.json", "dictionaries.json", "manifest.json",
                           "predictions/dev.tsv", "predictions/test.tsv"}) {
    EXPECT_EQ(ReadFile(Out("fetched") + "/" + file),
              ReadFile(Out("calm") + "/" + file))
        << file;
  }
  const ProcessResult predicted =
      RunProcess({Program("meanfield"), "predict", Out("fetched")},
                 {.in = "commonw1 c1w1\n"});
  EXPECT_EQ(predicted.exit_code, 0) << predicted.err;
}

}  // namespace
}  // namespace meanfield::testing

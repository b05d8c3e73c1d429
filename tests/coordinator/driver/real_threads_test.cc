// A coordinator on threads of its own, as the service uses it.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/mutex.h"
#include "common/time/real_clock.h"
#include "coordinator/corpus/text_encoder.h"
#include "coordinator/driver/coordinator.h"
#include "coordinator/driver/serial_executor.h"
#include "gtest/gtest.h"
#include "tests/coordinator/driver/model_hashes.h"
#include "tests/support/driver/fake_worker.h"
#include "tests/support/driver/simulation.h"
#include "tests/support/driver/toy_trainer.h"
#include "tests/support/status_matchers.h"

namespace meanfield::testing {
namespace {

Blob BlobOf(const proto::BlobRef& ref) {
  return {.id = ref.id(), .size = ref.size()};
}

class RealThreadsTest : public ::testing::Test {
 protected:
  RealThreadsTest() {
    auto coordinator = driver::Coordinator::Create(
        {.state_dir = files_.folder().File("real"), .clock = clock_.get()});
    EXPECT_OK(coordinator);
    coordinator_ = *std::move(coordinator);
  }
  ~RealThreadsTest() override {
    // As the service does: its streams end before the coordinator does.
    for (const auto& worker : workers_) worker->Leave(absl::OkStatus());
    executors_.clear();
  }

  void AddWorkers(int count) {
    for (int i = 0; i < count; ++i) {
      executors_.push_back(std::make_unique<driver::SerialExecutor>());
      workers_.push_back(std::make_shared<FakeWorker>(
          *coordinator_, trainer_, *executors_.back(),
          FakeWorker::Options{.name = absl::StrCat("w", i),
                              .scratch = files_.folder().path()}));
      EXPECT_OK(workers_.back()->Connect());
    }
  }

  // Runs the job to its end.
  proto::RunDetails Run(const Simulation::Job& job) {
    const auto run = coordinator_->Submit(
        {.text = files_.JobText(job), .path = files_.folder().File("j")});
    EXPECT_OK(run);
    Mutex mutex;
    CondVar changed;
    bool ended = false;
    const auto subscription =
        coordinator_->Watch(*run, 0, [&](const proto::RunEvent& event) {
          MutexLock lock(mutex);
          ended = ended || event.has_ended();
          changed.NotifyAll();
        });
    EXPECT_OK(subscription);
    MutexLock lock(mutex);
    while (!ended) changed.Wait(mutex);
    return *coordinator_->store().Load(*run);
  }

  Simulation files_;  // the toy corpus
  std::unique_ptr<Clock> clock_ = MakeRealClock();
  ToyTrainer trainer_;  // holds no state
  std::unique_ptr<driver::Coordinator> coordinator_;
  std::vector<std::unique_ptr<driver::SerialExecutor>> executors_;
  std::vector<std::shared_ptr<FakeWorker>> workers_;
};

TEST_F(RealThreadsTest, ThreeWorkersAtOnce_SameHashesAsOneSimulated) {
  AddWorkers(3);

  const proto::RunDetails run = Run({});

  EXPECT_EQ(run.run().state(), proto::DONE) << run.run().reason();
  EXPECT_EQ(ModelHashes(run), HashesWith(1));
}

TEST_F(RealThreadsTest, Predict_GivesAnOutputPerBlob) {
  AddWorkers(2);
  const proto::RunRecord run = Run({.rounds = 1}).run();
  BlobStore& blobs = coordinator_->store().blobs();
  ASSERT_OK_AND_ASSIGN(const std::string json,
                       blobs.Read(BlobOf(run.dictionaries())));
  ASSERT_OK_AND_ASSIGN(const auto dictionaries,
                       corpus::Dictionaries::Parse(json));
  const std::vector<std::string> texts = {"some words", ""};
  ASSERT_OK_AND_ASSIGN(const Blob data,
                       corpus::EncodeTexts(texts, dictionaries, blobs));

  const auto outputs =
      coordinator_->Predict({.model_config = BlobOf(run.model_config()),
                             .training_config = BlobOf(run.training_config()),
                             .model = BlobOf(run.best_model()),
                             .data = {data, data}});

  ASSERT_OK(outputs);
  ASSERT_EQ(outputs->size(), 2);
  ASSERT_OK_AND_ASSIGN(const auto file, SafetensorsFile::Open((*outputs)[1]));
  ASSERT_OK_AND_ASSIGN(const auto lines,
                       corpus::DecodePredictions(texts, file, dictionaries));
  EXPECT_EQ(lines.size(), 2);
}

TEST_F(RealThreadsTest, Workers_CountTheirUnits) {
  AddWorkers(2);
  EXPECT_EQ(coordinator_->Workers().size(), 2u);
  EXPECT_EQ(coordinator_->Workers()[0].units_done, 0u);

  Run({});

  const std::vector<driver::WorkerView> workers = coordinator_->Workers();
  ASSERT_EQ(workers.size(), 2u);
  EXPECT_EQ(workers[0].identity.name, "w0");
  EXPECT_GT(workers[0].units_done + workers[1].units_done, 4u);
  EXPECT_EQ(workers[0].unit, "");
}

}  // namespace
}  // namespace meanfield::testing

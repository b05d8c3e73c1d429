#ifndef MEANFIELD_TESTS_WORKER_RUNTIME_WORKER_FIXTURE_H_
#define MEANFIELD_TESTS_WORKER_RUNTIME_WORKER_FIXTURE_H_

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "common/tensor/safetensors.h"
#include "coordinator/service/server.h"
#include "gtest/gtest.h"
#include "tests/coordinator/service/fake_runs.h"
#include "tests/coordinator/service/fake_sessions.h"
#include "tests/support/fake_trainer.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"
#include "worker/runtime/worker.h"

namespace meanfield::testing {

// A real worker on a thread, a real server, a fake coordinator and a trainer
// that the test holds in its hand.
class WorkerFixture : public ::testing::Test {
 protected:
  void SetUp() override { StartServer("127.0.0.1:0"); }
  void TearDown() override {
    stop_.request_stop();
    if (worker_.joinable()) worker_.join();
    server_.reset();
  }

  void StartServer(const std::string& listen) {
    service::Server::Options options;
    options.listen = listen;
    options.heartbeat = absl::Milliseconds(20);
    options.drain_limit = absl::Milliseconds(500);
    auto started = service::Server::Start(runs_, sessions_, options);
    ASSERT_OK(started);
    server_ = *std::move(started);
    address_ = server_->address();
  }
  // As after a crash and a start on the same port.
  void RestartServer() {
    server_.reset();
    StartServer(address_);
  }

  void StartWorker(absl::Duration give_up_after = absl::Minutes(1)) {
    const WorkerOptions options{.coordinator = address_,
                                .name = "w",
                                .work_folder = folder_.File("work"),
                                .give_up_after = give_up_after,
                                .cache_bytes = cache_bytes_,
                                .clock = worker_clock_};
    worker_ = std::thread([this, options] {
      ended_ = RunWorker(options, trainer_, stop_.get_token());
    });
  }
  // How it ended; waits for it.
  absl::Status JoinWorker() {
    worker_.join();
    return *ended_;
  }
  absl::Status StopWorker() {
    stop_.request_stop();
    return JoinWorker();
  }
  std::shared_ptr<driver::WorkerLink> Link(size_t n = 0) {
    return sessions_.WaitForWorker(n).link;
  }

  // A unit whose blobs the coordinator has. Another `variant` is another unit.
  proto::Unit TrainUnit(uint32_t variant = 0, size_t model_floats = 4) {
    proto::Unit unit = InitUnit();
    unit.mutable_key()->set_kind(proto::TRAIN);
    unit.mutable_key()->set_round(1);
    unit.mutable_key()->set_shard(variant);
    *unit.mutable_training_config() =
        sessions_.AddBlob(ToJson(TrainingConfig{}));
    *unit.mutable_model() = sessions_.AddBlob(ModelFile(model_floats));
    *unit.mutable_data() = sessions_.AddBlob(ShardFile());
    unit.mutable_train()->set_num_steps(3);
    unit.mutable_train()->set_seed(100 + variant);
    unit.mutable_train()->set_lr_first_bits(std::bit_cast<uint32_t>(0.5f));
    return unit;
  }
  proto::Unit InitUnit() {
    proto::Unit unit;
    unit.mutable_key()->set_run("run-1");
    unit.mutable_key()->set_task("t");
    unit.mutable_key()->set_kind(proto::INIT);
    unit.set_init_seed(42);
    TextClassifierConfig classifier;
    classifier.embeddings = {
        OneHotEmbeddings{.num_embeddings = 5, .embedding_size = 2}};
    classifier.num_labels = 2;
    *unit.mutable_model_config() =
        sessions_.AddBlob(ToJson(ModelConfig{.model = classifier}));
    return unit;
  }
  // A blob with one tensor, as word vectors are.
  proto::BlobRef TensorBlob(const std::string& name) {
    auto writer = SafetensorsWriter::Create(folder_.File("tensor"),
                                            {{.name = name, .shape = {2, 2}}});
    EXPECT_OK(writer);
    EXPECT_OK(writer->Finish());
    return sessions_.AddBlob(ReadFile(folder_.File("tensor")));
  }
  void Lease(uint64_t lease, const proto::Unit& unit, size_t worker = 0) {
    sessions_.AddLease(lease);
    Link(worker)->Assign(lease, unit);
  }
  FakeSessions::Result WaitForResult(size_t n = 0) {
    sessions_.Wait([n](const auto& r) { return r.results.size() > n; });
    return sessions_.record().results.at(n);
  }
  FakeSessions::Failure WaitForFailure(size_t n = 0) {
    sessions_.Wait([n](const auto& r) { return r.failures.size() > n; });
    return sessions_.record().failures.at(n);
  }

  const TemporaryFolder folder_;
  FakeRuns runs_;
  FakeSessions sessions_;
  FakeTrainer trainer_;
  Clock* worker_clock_ = nullptr;  // null: real time
  uint64_t cache_bytes_ = uint64_t{1} << 30;
  std::string address_;
  std::unique_ptr<service::Server> server_;
  std::stop_source stop_;
  std::thread worker_;
  std::optional<absl::Status> ended_;

 private:
  std::string ModelFile(size_t floats) {
    auto writer = SafetensorsWriter::Create(
        folder_.File("model"),
        {{.name = "weight", .shape = {static_cast<int64_t>(floats)}},
         {.name = "scalar", .shape = {}},
         {.name = "empty", .shape = {0}}});
    EXPECT_OK(writer);
    uint32_t i = 0;  // bytes that do not repeat with the chunks
    for (float& w : writer->MutableAs<float>("weight")) {
      w = static_cast<float>(i++ % 1000003);
    }
    EXPECT_OK(writer->Finish());
    return ReadFile(folder_.File("model"));
  }
  std::string ShardFile() {
    auto writer = SafetensorsWriter::Create(
        folder_.File("shard"),
        {{.name = "ids", .dtype = DType::kI32, .shape = {1, 3}},
         {.name = "offsets", .dtype = DType::kI64, .shape = {3}},
         {.name = "labels", .dtype = DType::kI32, .shape = {2}}});
    EXPECT_OK(writer);
    const auto offsets = writer->MutableAs<int64_t>("offsets");
    offsets[1] = 1;
    offsets[2] = 3;
    EXPECT_OK(writer->Finish());
    return ReadFile(folder_.File("shard"));
  }
};

// Holds a trainer inside a step until the test lets it go on.
class Gate {
 public:
  // From the trainer: returns when opened, or stopped.
  absl::Status Pass(std::stop_token stop) {
    const std::stop_callback wake(stop, [this] {
      const MutexLock lock(mutex_);
      changed_.NotifyAll();
    });
    const MutexLock lock(mutex_);
    ++reached_;
    changed_.NotifyAll();
    while (!open_ && !stop.stop_requested()) changed_.Wait(mutex_);
    return absl::OkStatus();
  }
  void WaitUntilReached(int times = 1) {
    const MutexLock lock(mutex_);
    while (reached_ < times) changed_.Wait(mutex_);
  }
  void Open() {
    const MutexLock lock(mutex_);
    open_ = true;
    changed_.NotifyAll();
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  int reached_ = 0;
  bool open_ = false;
};

}  // namespace meanfield::testing

#endif  // MEANFIELD_TESTS_WORKER_RUNTIME_WORKER_FIXTURE_H_

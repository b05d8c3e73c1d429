#include "tests/support/driver/simulation.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/toy_corpora.h"

namespace meanfield::testing {
namespace {

constexpr absl::Duration kTick = absl::Seconds(1);

}  // namespace

Simulation::Simulation(round::Policy policy) : policy_(policy) {
  folder_.Write("toy.train", ToyTexts(120, 1));
  folder_.Write("toy.dev", ToyTexts(40, 2));
  folder_.Write("toy.test", ToyTexts(40, 3));
  Create();
}

Simulation::~Simulation() { Settle(); }

void Simulation::Create() {
  work_.push_back(std::make_unique<driver::ManualExecutor>());
  auto coordinator = driver::Coordinator::Create({.state_dir = StateFolder(),
                                                  .clock = &clock_,
                                                  .policy = policy_,
                                                  .actor = &actor_,
                                                  .background = &background_});
  ASSERT_OK(coordinator);
  coordinator_ = *std::move(coordinator);
}

std::string Simulation::StateFolder() const {
  return folder_.File(absl::StrCat("state-", crashes_));
}

void Simulation::Crash() {
  const std::string before = StateFolder();
  ++crashes_;
  std::filesystem::copy(before, StateFolder(),
                        std::filesystem::copy_options::recursive);
  Restart();
}

void Simulation::Restart() {
  coordinator_.reset();
  Create();
}

std::shared_ptr<FakeWorker> Simulation::AddWorker(const std::string& name,
                                                  uint64_t incarnation) {
  trainers_.push_back(std::make_unique<ToyTrainer>());
  auto worker = std::make_shared<FakeWorker>(
      *coordinator_, *trainers_.back(), *work_.back(),
      FakeWorker::Options{
          .name = name, .incarnation = incarnation, .scratch = folder_.path()});
  EXPECT_OK(worker->Connect());
  return worker;
}

std::shared_ptr<FakeWorker> Simulation::AddWorkerOf(
    const std::string& numerics_class, const std::string& name) {
  trainers_.push_back(std::make_unique<ToyTrainer>(numerics_class));
  auto worker = std::make_shared<FakeWorker>(
      *coordinator_, *trainers_.back(), *work_.back(),
      FakeWorker::Options{.name = name, .scratch = folder_.path()});
  EXPECT_OK(worker->Connect());
  return worker;
}

std::string Simulation::JobText(const Job& job) const {
  const std::string dev_and_test =
      absl::StrCat(" dev: \"", folder_.File("toy.dev"), "\" test: \"",
                   folder_.File("toy.test"), "\"");
  return absl::StrCat(
      "name: \"toy\" shards: ", job.shards,
      " task { corpus { fasttext { train: \"", folder_.File("toy.train"), "\"",
      job.dev_and_test ? dev_and_test : "", " } } model { text_classifier { ",
      job.model,
      " } }"
      " training { batch_size: 8 loss: MEAN sgd { learning_rate: 8 } } }"
      " schedule { local_epochs: 1 } stop { max_rounds: ",
      job.rounds, " } ", job.more);
}

std::string Simulation::Submit(const Job& job) {
  const auto run = coordinator_->Submit(
      {.text = JobText(job), .path = folder_.File("toy.textproto")});
  EXPECT_OK(run);
  return run.ok() ? *run : "";
}

bool Simulation::Step() {
  return actor_.RunNext() || background_.RunNext() || work_.back()->RunNext();
}

void Simulation::Settle() {
  while (Step()) {
  }
}

void Simulation::Advance(absl::Duration duration) {
  Settle();
  for (absl::Duration done; done < duration; done += kTick) {
    clock_.Advance(std::min(kTick, duration - done));
    Settle();
  }
}

proto::RunDetails Simulation::Load(const std::string& run) {
  auto details = coordinator_->store().Load(run);
  EXPECT_OK(details);
  return details.ok() ? *std::move(details) : proto::RunDetails();
}

std::vector<proto::RunEvent> Simulation::Events(const std::string& run,
                                                uint64_t after) {
  std::vector<proto::RunEvent> events;
  const auto subscription = coordinator_->Watch(
      run, after,
      [&events](const proto::RunEvent& event) { events.push_back(event); });
  EXPECT_OK(subscription);
  Settle();
  return events;
}

}  // namespace meanfield::testing

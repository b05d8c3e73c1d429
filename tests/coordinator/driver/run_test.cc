// Whole runs with simulated workers in virtual time.
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/coordinator/driver/model_hashes.h"
#include "tests/support/driver/simulation.h"
#include "tests/support/status_matchers.h"

namespace meanfield::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Run, OneWorker_DoesEveryRoundAndTheFinalTest) {
  Simulation simulation;
  simulation.AddWorker("w0");

  const std::string run = simulation.Submit({});
  simulation.Settle();

  const proto::RunDetails details = simulation.Load(run);
  EXPECT_EQ(details.run().state(), proto::DONE) << details.run().reason();
  EXPECT_EQ(details.run().numerics_class(), "toy");
  EXPECT_EQ(details.rounds_size(), 3);
  EXPECT_EQ(details.verdicts_size(), 3);
  ASSERT_EQ(details.tests_size(), 1);
  EXPECT_EQ(details.tests(0).examples(), 40);
  EXPECT_EQ(details.tests(0).model_blob().id(),
            details.run().best_model().id());
  // The toy corpus is easy: learning shows.
  EXPECT_GT(details.tests(0).scores(0).value(),
            details.tests(0).majority_accuracy() + 0.2);
  EXPECT_LT(details.rounds(2).train_loss(), details.rounds(0).train_loss());
}

TEST(Run, NumberOfWorkers_ChangesNoHash) {
  const std::vector<std::string> one = HashesWith(1);
  ASSERT_EQ(one.size(), 3);
  EXPECT_EQ(HashesWith(2), one);
  EXPECT_EQ(HashesWith(3), one);
  EXPECT_EQ(HashesWith(7), one);
}

TEST(Run, OneShard_MeanIsTheUpdateItself) {
  Simulation simulation;
  auto worker = simulation.AddWorker("w0");
  std::string update;
  worker->tamper = [&](const proto::Unit& unit, const std::string& path,
                       proto::UnitResult&) {
    if (unit.key().kind() == proto::TRAIN) update = ReadFile(path);
  };

  const std::string run = simulation.Submit({.shards = 1, .rounds = 1});
  simulation.Settle();

  const proto::RunRecord record = simulation.Load(run).run();
  ASSERT_OK_AND_ASSIGN(const std::string model,
                       simulation.coordinator().store().blobs().Read(
                           {.id = record.last_model().id(),
                            .size = record.last_model().size()}));
  EXPECT_EQ(model, update);
}

TEST(Run, WorkerJoinsLate_RunWaitsForIt) {
  Simulation simulation;
  const std::string run = simulation.Submit({});
  simulation.Advance(absl::Seconds(30));
  EXPECT_EQ(simulation.Load(run).run().state(), proto::RUNNING);

  simulation.AddWorker("w0");
  simulation.Settle();

  EXPECT_EQ(simulation.Load(run).run().state(), proto::DONE);
}

TEST(Run, NoWorker_IsStarvedAfterTheLimit) {
  Simulation simulation({.starvation_limit = absl::Seconds(60)});
  const std::string run = simulation.Submit({});
  simulation.Advance(absl::Seconds(59));
  EXPECT_EQ(simulation.Load(run).run().state(), proto::RUNNING);

  simulation.Advance(absl::Seconds(2));

  const proto::RunDetails details = simulation.Load(run);
  EXPECT_EQ(details.run().state(), proto::STARVED);
  EXPECT_THAT(details.run().reason(), HasSubstr("worker"));
  EXPECT_NE(details.run().ended_unix_ms(), 0);
}

TEST(Run, WorkerOfAnotherClass_GetsNoWork) {
  Simulation simulation;
  simulation.AddWorker("a");
  auto other = simulation.AddWorkerOf("another class", "b");
  const std::string run = simulation.Submit({});
  simulation.Settle();

  EXPECT_EQ(simulation.Load(run).run().state(), proto::DONE);
  EXPECT_EQ(other->units_done, 0);
  std::string notes;
  for (const auto& event : simulation.Events(run)) notes += event.note().text();
  EXPECT_THAT(notes, HasSubstr("worker \"b\" gets no work from this run"));
}

TEST(Run, NoDevAndNoTest_LastModelIsTheBest) {
  Simulation simulation;
  simulation.AddWorker("w0");
  const std::string run = simulation.Submit({.dev_and_test = false});
  simulation.Settle();

  const proto::RunDetails details = simulation.Load(run);
  EXPECT_EQ(details.run().state(), proto::DONE) << details.run().reason();
  EXPECT_EQ(details.run().best_round(), 3);
  EXPECT_EQ(details.run().best_model().id(), details.rounds(2).model().id());
  EXPECT_EQ(details.tests_size(), 0);
}

TEST(Run, EvaluateEverySecondRound_HasVerdictsOfThoseAndTheLast) {
  Simulation simulation;
  simulation.AddWorker("w0");
  const std::string run = simulation.Submit({.more = "evaluate_every: 2"});
  simulation.Settle();

  std::vector<uint32_t> rounds;
  const proto::RunDetails details = simulation.Load(run);
  for (const auto& verdict : details.verdicts()) {
    rounds.push_back(verdict.round());
  }
  EXPECT_THAT(rounds, ElementsAre(2, 3));
}

TEST(Run, Nesterov_CarriesItsStateFromRoundToRound) {
  Simulation simulation;
  simulation.AddWorker("w0");
  const std::string run = simulation.Submit(
      {.more = "server_optimizer { nesterov { learning_rate: 0.7 } }"});
  simulation.Settle();

  const proto::RunDetails details = simulation.Load(run);
  EXPECT_EQ(details.run().state(), proto::DONE) << details.run().reason();
  EXPECT_TRUE(details.rounds(2).has_server_state());
  BlobStore& blobs = simulation.coordinator().store().blobs();
  const auto has = [&](const proto::BlobRef& ref) {
    return blobs.Contains({.id = ref.id(), .size = ref.size()});
  };
  EXPECT_TRUE(has(details.rounds(2).server_state()));
  EXPECT_FALSE(has(details.rounds(1).server_state()));
}

TEST(Run, SupersededModels_AreRemoved) {
  Simulation simulation;
  simulation.AddWorker("w0");
  const std::string run = simulation.Submit({.rounds = 5});
  simulation.Settle();

  const proto::RunDetails details = simulation.Load(run);
  BlobStore& blobs = simulation.coordinator().store().blobs();
  for (const proto::RoundRecord& round : details.rounds()) {
    const bool kept = round.model().id() == details.run().best_model().id() ||
                      round.model().id() == details.run().last_model().id();
    EXPECT_EQ(blobs.Contains(
                  {.id = round.model().id(), .size = round.model().size()}),
              kept)
        << "round " << round.plan().round();
  }
}

TEST(Run, LongerRunOfTheSameJob_LeavesTheModelsOfTheShorterOne) {
  Simulation simulation;
  simulation.AddWorker("w0");
  const std::string shorter = simulation.Submit({.rounds = 2});
  const std::string longer = simulation.Submit({.rounds = 4});
  simulation.Settle();

  const proto::RunDetails first = simulation.Load(shorter);
  EXPECT_EQ(simulation.Load(longer).run().state(), proto::DONE);
  EXPECT_EQ(simulation.Load(longer).rounds(1).model().id(),
            first.run().last_model().id());
  EXPECT_TRUE(simulation.coordinator().store().blobs().Contains(
      {.id = first.run().last_model().id(),
       .size = first.run().last_model().size()}));
}

TEST(Run, FaultyCorpus_FailsAndNamesTheFile) {
  Simulation simulation;
  simulation.AddWorker("w0");
  simulation.folder().Write("toy.train", "no label here\n");
  const std::string run = simulation.Submit({});
  simulation.Settle();

  const proto::RunDetails details = simulation.Load(run);
  EXPECT_EQ(details.run().state(), proto::FAILED);
  EXPECT_THAT(details.run().reason(), HasSubstr("toy.train"));
}

TEST(Run, Workers_AreCountedByTheirWork) {
  Simulation simulation;
  simulation.AddWorker("w0");
  simulation.AddWorker("w1");
  const std::string run = simulation.Submit({});
  simulation.Settle();

  const proto::RunDetails details = simulation.Load(run);
  uint64_t of_workers = 0;
  for (const auto& worker : details.workers()) of_workers += worker.examples();
  uint64_t of_rounds = 0;
  for (const auto& round : details.rounds()) of_rounds += round.examples();
  EXPECT_EQ(of_workers, 3 * 120);
  EXPECT_EQ(of_rounds, of_workers);
  EXPECT_GT(details.workers(0).peak_memory_bytes(), 0);
}

}  // namespace
}  // namespace meanfield::testing

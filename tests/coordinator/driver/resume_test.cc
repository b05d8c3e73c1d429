// Runs that go on after their coordinator was stopped or killed.
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/coordinator/driver/model_hashes.h"
#include "tests/support/driver/simulation.h"
#include "tests/support/status_matchers.h"

namespace meanfield::testing {
namespace {

using ::testing::HasSubstr;

// A job that has everything that must survive: several averages an epoch, an
// optimizer with state, annealing, early stopping.
Simulation::Job FullJob(int rounds = 4) {
  return {.rounds = rounds,
          .more =
              "server_optimizer { nesterov { learning_rate: 0.7 } } "
              "evaluate_every: 2"};
}

proto::RunDetails Undisturbed(const Simulation::Job& job) {
  Simulation simulation;
  simulation.AddWorker("w0");
  const std::string run = simulation.Submit(job);
  simulation.Settle();
  return simulation.Load(run);
}

// All that a run's result is.
void ExpectSame(const proto::RunDetails& a, const proto::RunDetails& b) {
  EXPECT_EQ(a.run().state(), b.run().state()) << a.run().reason();
  EXPECT_EQ(ModelHashes(a), ModelHashes(b));
  EXPECT_EQ(a.run().best_model().id(), b.run().best_model().id());
  EXPECT_EQ(a.run().best_round(), b.run().best_round());
  ASSERT_EQ(a.verdicts_size(), b.verdicts_size());
  for (int i = 0; i < a.verdicts_size(); ++i) {
    EXPECT_EQ(a.verdicts(i).main_score(), b.verdicts(i).main_score());
    EXPECT_EQ(a.verdicts(i).learning_rate_bits(),
              b.verdicts(i).learning_rate_bits());
  }
  ASSERT_EQ(a.tests_size(), b.tests_size());
  for (int i = 0; i < a.tests_size(); ++i) {
    EXPECT_EQ(a.tests(i).loss(), b.tests(i).loss());
  }
}

TEST(Resume, KilledAfterAnyStep_SameResult) {
  const proto::RunDetails calm = Undisturbed(FullJob());
  bool ended = false;
  for (int steps = 1; !ended; ++steps) {
    SCOPED_TRACE(absl::StrCat("killed after step ", steps));
    Simulation simulation;
    simulation.AddWorker("w0");
    simulation.AddWorker("w1");
    const std::string run = simulation.Submit(FullJob());
    for (int i = 0; i < steps && !ended; ++i) ended = !simulation.Step();

    simulation.Crash();
    simulation.AddWorker("w0", /*incarnation=*/2);
    simulation.AddWorker("w1", /*incarnation=*/2);
    simulation.Settle();

    ExpectSame(simulation.Load(run), calm);
    if (::testing::Test::HasFailure()) break;
  }
}

TEST(Resume, KilledAgainAndAgain_SameResult) {
  const proto::RunDetails calm = Undisturbed(FullJob());
  Simulation simulation;
  const std::string run = simulation.Submit(FullJob());
  for (int life = 0; life < 40; ++life) {
    simulation.AddWorker("w0", /*incarnation=*/life + 1);
    for (int step = 0; step < 23; ++step) simulation.Step();
    simulation.Crash();
  }
  simulation.AddWorker("w0", /*incarnation=*/100);
  simulation.Settle();

  ExpectSame(simulation.Load(run), calm);
}

TEST(Resume, UpdatesOfTheOpenRound_AreFoldedAgainNotTrained) {
  Simulation simulation;
  auto worker = simulation.AddWorker("w0");
  int trained = 0;
  worker->before_unit = [&](const proto::Unit& unit) {
    if (unit.key().round() == 2 && unit.key().kind() == proto::TRAIN) {
      if (++trained == 4) worker->Leave(absl::UnavailableError("killed"));
    }
    return absl::OkStatus();
  };
  const std::string run = simulation.Submit({});
  simulation.Settle();
  ASSERT_EQ(trained, 4);
  simulation.Crash();

  auto other = simulation.AddWorker("w0", /*incarnation=*/2);
  int again = 0;
  other->before_unit = [&](const proto::Unit& unit) {
    again += unit.key().round() == 2 && unit.key().kind() == proto::TRAIN;
    return absl::OkStatus();
  };
  simulation.Settle();

  EXPECT_EQ(again, 1);
  EXPECT_EQ(ModelHashes(simulation.Load(run)), HashesWith(1));
}

TEST(Resume, StoppedCoordinator_GoesOnByItselfAndWatchersSeeAllRounds) {
  Simulation simulation;
  auto worker = simulation.AddWorker("w0");
  const std::string run = simulation.Submit({});
  while (simulation.Load(run).rounds_size() < 2) ASSERT_TRUE(simulation.Step());

  simulation.Restart();
  simulation.AddWorker("w0", /*incarnation=*/2);
  simulation.Settle();

  const proto::RunDetails details = simulation.Load(run);
  EXPECT_EQ(details.run().state(), proto::DONE) << details.run().reason();
  EXPECT_EQ(details.run().times_resumed(), 1u);
  EXPECT_EQ(ModelHashes(details), HashesWith(1));
  int rounds = 0;
  for (const auto& event : simulation.Events(run)) rounds += event.has_round();
  EXPECT_EQ(rounds, 3);
}

TEST(Resume, StarvedRun_GoesOnWhenAsked) {
  Simulation simulation({.starvation_limit = absl::Seconds(60)});
  auto worker = simulation.AddWorker("w0");
  const std::string run = simulation.Submit({});
  while (simulation.Load(run).rounds_size() < 1) ASSERT_TRUE(simulation.Step());
  worker->Leave(absl::UnavailableError("killed"));
  simulation.Advance(absl::Seconds(90));
  ASSERT_EQ(simulation.Load(run).run().state(), proto::STARVED);

  ASSERT_OK(simulation.coordinator().Resume(run, nullptr));
  simulation.AddWorker("w1");
  simulation.Settle();

  EXPECT_EQ(simulation.Load(run).run().state(), proto::DONE);
  EXPECT_EQ(ModelHashes(simulation.Load(run)), HashesWith(1));
}

TEST(Resume, MoreRoundsOfAFinishedRun_AreThoseOfALongerJob) {
  Simulation simulation;
  simulation.AddWorker("w0");
  const std::string run = simulation.Submit({.rounds = 2});
  simulation.Settle();
  proto::JobSpec job = simulation.Load(run).run().job();
  job.mutable_stop()->set_max_rounds(3);

  ASSERT_OK(simulation.coordinator().Resume(run, &job));
  simulation.Settle();

  const proto::RunDetails details = simulation.Load(run);
  EXPECT_EQ(details.run().state(), proto::DONE);
  EXPECT_EQ(ModelHashes(details), HashesWith(1));
}

TEST(Resume, AnotherJob_IsRefusedAndNamesTheDifference) {
  Simulation simulation;
  simulation.AddWorker("w0");
  const std::string run = simulation.Submit({});
  simulation.Settle();
  proto::JobSpec job = simulation.Load(run).run().job();
  job.mutable_task(0)->mutable_training()->set_batch_size(16);

  EXPECT_THAT(simulation.coordinator().Resume(run, &job),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("task[0].training.batch_size")));
}

TEST(Resume, CancelledRun_IsRefused) {
  Simulation simulation;
  const std::string run = simulation.Submit({});
  ASSERT_OK(simulation.coordinator().Cancel(run, "enough"));
  simulation.Settle();

  EXPECT_THAT(simulation.coordinator().Resume(run, nullptr),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("cancelled (enough)")));
}

TEST(Resume, ChangedCorpus_FailsAndSaysSo) {
  Simulation simulation;
  auto worker = simulation.AddWorker("w0");
  const std::string run = simulation.Submit({});
  while (simulation.Load(run).rounds_size() < 1) ASSERT_TRUE(simulation.Step());
  simulation.folder().Write("toy.train", "__label__a only one text\n");
  simulation.Crash();
  simulation.Settle();

  const proto::RunRecord record = simulation.Load(run).run();
  EXPECT_EQ(record.state(), proto::FAILED);
}

TEST(Resume, DamagedModel_IsNamed) {
  Simulation simulation;
  simulation.AddWorker("w0");
  const std::string run = simulation.Submit({});
  while (simulation.Load(run).rounds_size() < 1) ASSERT_TRUE(simulation.Step());
  const proto::RoundRecord round = simulation.Load(run).rounds(0);
  ASSERT_OK_AND_ASSIGN(
      const std::string path,
      simulation.coordinator().store().blobs().Path(
          {.id = round.model().id(), .size = round.model().size()}));
  simulation.Crash();
  // The copy of the disk is what is damaged.
  ASSERT_OK_AND_ASSIGN(
      const std::string copy,
      simulation.coordinator().store().blobs().Path(
          {.id = round.model().id(), .size = round.model().size()}));
  ASSERT_NE(copy, path);
  std::string bytes = ReadFile(copy);
  bytes.back() ^= 1;
  std::filesystem::remove(copy);  // blobs are read-only
  std::ofstream(copy, std::ios::binary) << bytes;
  simulation.Settle();

  const proto::RunRecord record = simulation.Load(run).run();
  EXPECT_EQ(record.state(), proto::FAILED);
  EXPECT_THAT(record.reason(), HasSubstr("model of round 1"));
  EXPECT_THAT(record.reason(), HasSubstr(copy));
}

}  // namespace
}  // namespace meanfield::testing

// What clients of a coordinator see: queue, watch, cancel, shutdown, predict.
#include "coordinator/driver/coordinator.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/driver/simulation.h"
#include "tests/support/status_matchers.h"

namespace meanfield::testing {
namespace {

using ::testing::HasSubstr;

proto::RunState StateOf(Simulation& simulation, const std::string& run) {
  return simulation.Load(run).run().state();
}

TEST(Coordinator, FaultyJob_IsRefusedAndNotRecorded) {
  Simulation simulation;
  const auto run = simulation.coordinator().Submit(
      {.text = "task { modle {} }", .path = "bad.textproto"});

  EXPECT_THAT(run,
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("modle")));
  ASSERT_OK_AND_ASSIGN(const auto runs,
                       simulation.coordinator().store().ListRuns());
  EXPECT_TRUE(runs.empty());
}

TEST(Coordinator, TwoRuns_GoOneAfterTheOther) {
  Simulation simulation;
  auto worker = simulation.AddWorker("w0");
  worker->hold = true;
  const std::string first = simulation.Submit({});
  const std::string second = simulation.Submit({});
  simulation.Settle();
  EXPECT_EQ(StateOf(simulation, first), proto::RUNNING);
  EXPECT_EQ(StateOf(simulation, second), proto::QUEUED);

  worker->hold = false;
  worker->RunHeld();
  simulation.Settle();

  EXPECT_EQ(StateOf(simulation, first), proto::DONE);
  EXPECT_EQ(StateOf(simulation, second), proto::DONE);
}

TEST(Coordinator, CancelOfTheOpenRun_EndsItAndTheNextOneRuns) {
  Simulation simulation;
  auto worker = simulation.AddWorker("w0");
  worker->hold = true;
  const std::string first = simulation.Submit({});
  const std::string second = simulation.Submit({});
  simulation.Settle();

  ASSERT_OK(simulation.coordinator().Cancel(first, "not needed"));
  worker->hold = false;
  simulation.Settle();

  EXPECT_EQ(StateOf(simulation, first), proto::CANCELLED);
  EXPECT_EQ(simulation.Load(first).run().reason(), "not needed");
  EXPECT_EQ(StateOf(simulation, second), proto::DONE);
}

TEST(Coordinator, ReasonWithControlCharacters_IsShownWithout) {
  Simulation simulation;
  const std::string run = simulation.Submit({});
  ASSERT_OK(simulation.coordinator().Cancel(run, "not\x1b[31m\nneeded"));
  simulation.Settle();

  EXPECT_EQ(simulation.Load(run).run().reason(), "not [31m needed");
}

TEST(Coordinator, InterruptOfTheOpenRun_IsStarvedNotCancelled) {
  Simulation simulation;
  simulation.AddWorker("w0")->hold = true;
  const std::string run = simulation.Submit({});
  simulation.Settle();

  ASSERT_OK(simulation.coordinator().Interrupt(run, "Ctrl-C; resumable"));
  simulation.Settle();

  EXPECT_EQ(StateOf(simulation, run), proto::STARVED);
  EXPECT_EQ(simulation.Load(run).run().reason(), "Ctrl-C; resumable");
}

TEST(Coordinator, CancelOfAQueuedRun_NeverStartsIt) {
  Simulation simulation;
  auto worker = simulation.AddWorker("w0");
  worker->hold = true;
  simulation.Submit({});
  const std::string second = simulation.Submit({});
  simulation.Settle();

  ASSERT_OK(simulation.coordinator().Cancel(second, "not needed"));
  simulation.Settle();

  EXPECT_EQ(StateOf(simulation, second), proto::CANCELLED);
  EXPECT_TRUE(simulation.Events(second).back().has_ended());
}

TEST(Coordinator, CancelOfAnEndedRun_IsRefused) {
  Simulation simulation;
  simulation.AddWorker("w0");
  const std::string run = simulation.Submit({});
  simulation.Settle();

  EXPECT_THAT(
      simulation.coordinator().Cancel(run, "late"),
      StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("DONE")));
  EXPECT_THAT(simulation.coordinator().Cancel("no-such-run", ""),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("no-such-run")));
}

TEST(Coordinator, Watch_TellsEveryRoundTheTestAndTheEnd) {
  Simulation simulation;
  simulation.AddWorker("w0");
  const std::string run = simulation.Submit({});
  simulation.Settle();

  const std::vector<proto::RunEvent> events = simulation.Events(run);

  int rounds = 0;
  int tests = 0;
  for (size_t i = 0; i < events.size(); ++i) {
    rounds += events[i].has_round() ? 1 : 0;
    tests += events[i].has_test() ? 1 : 0;
    if (i == 0) continue;
    EXPECT_GT(events[i].sequence(), events[i - 1].sequence());
  }
  EXPECT_EQ(rounds, 3);
  EXPECT_EQ(tests, 1);
  EXPECT_EQ(events.back().ended().state(), proto::DONE);
}

TEST(Coordinator, WatchFromASequence_LeavesOutWhatWasSeen) {
  Simulation simulation;
  simulation.AddWorker("w0");
  const std::string run = simulation.Submit({});
  simulation.Settle();
  const std::vector<proto::RunEvent> all = simulation.Events(run);
  const uint64_t seen = all[all.size() / 2].sequence();

  const std::vector<proto::RunEvent> rest = simulation.Events(run, seen);

  ASSERT_FALSE(rest.empty());
  EXPECT_EQ(rest.front().sequence(), all[all.size() / 2 + 1].sequence());
  EXPECT_EQ(rest.back().sequence(), all.back().sequence());
}

TEST(Coordinator, WatchOfAnUnknownRun_IsNotFound) {
  Simulation simulation;
  EXPECT_THAT(simulation.coordinator().Watch("x", 0, [](const auto&) {}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("x")));
}

TEST(Coordinator, ShutdownInARun_RecordsItAsResumable) {
  Simulation simulation;
  auto worker = simulation.AddWorker("w0");
  worker->hold = true;
  const std::string open = simulation.Submit({});
  const std::string queued = simulation.Submit({});
  simulation.Settle();

  simulation.Restart();

  EXPECT_FALSE(worker->dismissed);
  EXPECT_EQ(StateOf(simulation, open), proto::QUEUED);
  EXPECT_THAT(simulation.Load(open).run().reason(),
              HasSubstr("goes on when it is started again"));
  EXPECT_EQ(StateOf(simulation, queued), proto::QUEUED);
}

TEST(Coordinator, RestartAfterARun_WatchIsToldFromTheRecords) {
  Simulation simulation;
  simulation.AddWorker("w0");
  const std::string run = simulation.Submit({});
  simulation.Settle();
  simulation.Restart();

  const std::vector<proto::RunEvent> events = simulation.Events(run);

  ASSERT_EQ(events.size(), 5);  // three rounds, the test, the end
  EXPECT_TRUE(events[0].round().has_verdict());
  EXPECT_EQ(events[4].ended().state(), proto::DONE);
}

TEST(Coordinator, RunsEnd_LeavesNoOutputsBehind) {
  Simulation simulation;
  simulation.AddWorker("w0");
  const std::string run = simulation.Submit({});
  simulation.Settle();

  ASSERT_OK_AND_ASSIGN(const std::string folder,
                       simulation.coordinator().store().RunFolder(run));
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST(Coordinator, CorpusOutsideTheRoots_IsRefused) {
  Simulation files;
  SimulatedClock clock;
  driver::ManualExecutor actor;
  TemporaryFolder state;
  ASSERT_OK_AND_ASSIGN(auto coordinator, driver::Coordinator::Create(
                                             {.state_dir = state.File("state"),
                                              .clock = &clock,
                                              .corpus_roots = {state.path()},
                                              .actor = &actor,
                                              .background = &actor}));
  const auto run = coordinator->Submit(
      {.text = files.JobText({}), .path = files.folder().File("j.textproto")});
  EXPECT_THAT(run, StatusIs(absl::StatusCode::kPermissionDenied,
                            HasSubstr("toy.train")));
}

TEST(Coordinator, NewerProcessOfAName_ReplacesTheOlder) {
  Simulation simulation;
  auto old = simulation.AddWorker("w0", 1);
  old->hold = true;
  const std::string run = simulation.Submit({});
  simulation.Settle();

  auto newer = simulation.AddWorker("w0", 2);
  simulation.Settle();

  EXPECT_TRUE(old->dismissed);
  EXPECT_FALSE(newer->dismissed);
  EXPECT_EQ(StateOf(simulation, run), proto::DONE);
  EXPECT_THAT(old->Connect(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("w0")));
}

TEST(Coordinator, ReconnectWithAFinishedUnit_ResultIsTaken) {
  Simulation simulation;
  auto worker = simulation.AddWorker("w0");
  worker->hold = true;
  const std::string run = simulation.Submit({});
  simulation.Settle();
  ASSERT_EQ(worker->held(), 1);

  ASSERT_OK(worker->Connect());  // the old stream broke; same process
  worker->hold = false;
  worker->RunHeld();  // under the old lease
  simulation.Settle();

  EXPECT_FALSE(worker->dismissed);
  EXPECT_EQ(StateOf(simulation, run), proto::DONE);
}

TEST(Coordinator, WorkerWithoutANameOrClass_IsRefused) {
  Simulation simulation;
  EXPECT_THAT(simulation.coordinator().Join({.numerics_class = "c"}, nullptr),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("name")));
  EXPECT_THAT(
      simulation.coordinator().Join({.name = "w"}, nullptr),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("numerics")));
}

TEST(Coordinator, BlobOfNoLease_IsDenied) {
  Simulation simulation;
  auto worker = simulation.AddWorker("w0");
  const std::string run = simulation.Submit({});
  simulation.Settle();
  const std::string dictionaries =
      simulation.Load(run).run().dictionaries().id();

  EXPECT_THAT(
      simulation.coordinator().ReadableBlob(worker->session(), dictionaries),
      StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr("w0")));
  EXPECT_THAT(simulation.coordinator().ReadableBlob("stale", dictionaries),
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("token")));
}

TEST(Coordinator, IdleShareAndStrangers_AreNoted) {
  Simulation simulation;
  simulation.AddWorker("w0");
  simulation.AddWorker("w1");
  simulation.AddWorker("w2");
  const std::string run = simulation.Submit({.shards = 4});
  simulation.Settle();

  std::string notes;
  for (const auto& event : simulation.Events(run)) notes += event.note().text();
  EXPECT_THAT(notes, HasSubstr("4 shards on 3 workers: 33 %"));
}

}  // namespace
}  // namespace meanfield::testing

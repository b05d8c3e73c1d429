#include "coordinator/round/round.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/coordinator/round/round_fixture.h"

namespace meanfield::round {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(RoundStart, ServesUnitsByIndexAndWorkersByName) {
  RoundFixture f(3, {"b", "a"});

  EXPECT_THAT(Text(f.start), ElementsAre("assign 100 a u0", "assign 101 b u1"));
}

TEST(RoundStart, KeepsShardsWithTheirWorkers) {
  std::vector<UnitRequest> units = MakeUnits(3);
  units[1].preferred_worker = "a";
  units[2].preferred_worker = "gone";

  RoundFixture f(units, {"a", "b", "c"});

  EXPECT_THAT(Text(f.start), ElementsAre("assign 100 a u1", "assign 101 b u0",
                                         "assign 102 c u2"));
}

TEST(RoundStart, WithoutUnits_CompletesAtOnce) {
  RoundFixture f(0, {"a"});

  EXPECT_THAT(Text(f.start), ElementsAre("complete"));
  EXPECT_TRUE(f.round.ended());
}

TEST(RoundStart, WorkerThatStillOwesAnAnswer_GetsNothingUntilItGivesIt) {
  RoundFixture f(MakeUnits(2), {"a", "b"}, Policy(), {{7, "a"}});
  ASSERT_THAT(Text(f.start), ElementsAre("assign 100 b u0"));

  EXPECT_THAT(f.Result(7, "old"),
              ElementsAre("discard 7 stale", "assign 101 a u1"));
}

TEST(RoundStart, WorkerThatStillOwesAnAnswer_IsFreeAfterAReconnect) {
  RoundFixture f(MakeUnits(1), {"a"}, Policy(), {{7, "a"}});
  ASSERT_THAT(Text(f.start), IsEmpty());

  EXPECT_THAT(Text(f.round.OnWorkerJoined("a", f.now)),
              ElementsAre("assign 100 a u0"));
}

TEST(Round, WorksOffAllUnitsAndCompletes) {
  RoundFixture f(2, {"a"});

  EXPECT_THAT(f.Result(100, "x"),
              ElementsAre("ingest 100 a u0 x", "assign 101 a u1"));
  EXPECT_THAT(f.Accepted(100), IsEmpty());
  EXPECT_EQ(f.round.units_done(), 1u);
  EXPECT_THAT(f.Result(101, "y"), ElementsAre("ingest 101 a u1 y"));
  EXPECT_THAT(f.Accepted(101), ElementsAre("complete"));
  EXPECT_EQ(f.round.next_lease(), 102u);
  EXPECT_THAT(f.round.Unsettled(), IsEmpty());
}

TEST(RoundLease, WithoutFirstStep_LapsesAfterTheLongerLimit) {
  RoundFixture f(1, {"a"});
  ASSERT_THAT(All<WakeAt>(f.start), testing::SizeIs(1));
  EXPECT_EQ(All<WakeAt>(f.start)[0].time, f.now + absl::Minutes(5));

  f.After(absl::Minutes(5) - absl::Milliseconds(1));
  EXPECT_THAT(f.round.OnWorkerJoined("b", f.now), IsEmpty());
  EXPECT_THAT(Text(f.After(absl::Milliseconds(1))),
              ElementsAre("assign 101 b u0"));
}

TEST(RoundLease, StepsRenewIt) {
  RoundFixture f(1, {"a", "b"});
  for (uint64_t step = 1; step <= 20; ++step) {
    f.round.OnProgress(100, step, f.now);
    EXPECT_THAT(Text(f.After(absl::Seconds(59))), IsEmpty());
  }
}

TEST(RoundLease, HeartbeatsWithoutStepsDoNotRenewIt) {
  RoundFixture f(1, {"a", "b"});
  f.round.OnProgress(100, 5, f.now);
  f.now += absl::Seconds(59);
  f.round.OnProgress(100, 5, f.now);

  EXPECT_THAT(Text(f.After(absl::Seconds(1))), ElementsAre("assign 101 b u0"));
}

TEST(RoundLease, FirstStepBringsTheAlarmForward) {
  RoundFixture f(1, {"a"});

  const Effects effects = f.round.OnProgress(100, 1, f.now);

  ASSERT_EQ(All<WakeAt>(effects).size(), 1u);
  EXPECT_EQ(All<WakeAt>(effects)[0].time, f.now + absl::Seconds(60));
}

TEST(RoundLease, HungWorkerGetsNoFurtherUnit) {
  RoundFixture f(2, {"a", "b"});
  f.round.OnProgress(101, 1, f.now);
  f.now += absl::Minutes(4);
  f.round.OnProgress(101, 2, f.now);
  f.now += absl::Seconds(59);
  f.round.OnProgress(101, 3, f.now);
  ASSERT_THAT(Text(f.After(absl::Seconds(1))), IsEmpty());  // a lapses, b busy

  EXPECT_THAT(f.Result(101, "y"),
              ElementsAre("ingest 101 b u1 y", "assign 102 b u0"));
}

TEST(RoundLease, LapsedWorkerThatStepsAgain_HasItsWaitingUnitBack) {
  RoundFixture f(1, {"a"});
  f.round.OnProgress(100, 1, f.now);
  f.After(absl::Seconds(60));
  f.round.OnProgress(100, 2, f.now + absl::Seconds(10));

  EXPECT_THAT(Text(f.round.OnWorkerJoined("b", f.now)), IsEmpty());
  EXPECT_EQ(f.round.UnitOf(100), 0u);
}

TEST(RoundLease, SlowStepsOfTheOnlyWorker_DoNotUseUpAttempts) {
  RoundFixture f(1, {"a"});
  for (uint64_t step = 1; step <= 10; ++step) {
    f.round.OnProgress(100, step, f.now);
    f.After(absl::Seconds(60));
    f.now += absl::Seconds(30);
  }
  EXPECT_FALSE(f.round.ended());
}

TEST(RoundLateResult, OfALapsedLease_WinsAndCancelsTheOtherAttempt) {
  RoundFixture f(1, {"a", "b"});
  ASSERT_THAT(Text(f.After(absl::Minutes(5))), ElementsAre("assign 101 b u0"));

  EXPECT_THAT(f.Result(100, "x"), ElementsAre("ingest 100 a u0 x"));
  EXPECT_THAT(f.Accepted(100), ElementsAre("cancel 101 b", "complete"));
  EXPECT_THAT(f.round.Unsettled(),
              ElementsAre(testing::Pair(uint64_t{101}, "b")));
}

TEST(RoundLateResult, EqualToTheAccepted_IsADuplicate) {
  RoundFixture f(2, {"a", "b", "c"});
  f.round.OnProgress(101, 1, f.now);
  f.After(absl::Minutes(5));  // both lapse; c takes u0
  f.Result(100, "x");
  f.Accepted(100);

  const Effects effects = f.round.OnResult(102, ResultOf("x"), f.now);

  EXPECT_THAT(Text(effects)[0], "discard 102 duplicate");
}

TEST(RoundLateResult, DifferentFromTheAccepted_NamesBothWorkers) {
  RoundFixture f(1, {"a", "b"});
  f.After(absl::Minutes(5));
  f.Result(100, "x");
  f.Accepted(100);

  const Effects effects = f.round.OnResult(101, ResultOf("other"), f.now);

  ASSERT_EQ(All<Discard>(effects).size(), 1u);
  EXPECT_EQ(All<Discard>(effects)[0].reason, "mismatch");
  EXPECT_EQ(All<Discard>(effects)[0].worker, "b");
  EXPECT_EQ(All<Discard>(effects)[0].accepted_worker, "a");
}

TEST(RoundLateResult, WhileAnotherIsOpen_WaitsForItsFate) {
  RoundFixture f(1, {"a", "b"});
  f.After(absl::Minutes(5));
  f.Result(100, "bad");

  EXPECT_THAT(f.Result(101, "good"), IsEmpty());
  EXPECT_THAT(f.Rejected(100), ElementsAre("ingest 101 b u0 good"));
  EXPECT_THAT(f.Accepted(101), ElementsAre("complete"));
}

TEST(RoundLateResult, WhileTheOpenOneIsAccepted_IsCompared) {
  RoundFixture f(1, {"a", "b"});
  f.After(absl::Minutes(5));
  f.Result(100, "x");
  f.Result(101, "x");

  EXPECT_THAT(f.Accepted(100),
              ElementsAre("discard 101 duplicate", "complete"));
}

TEST(RoundLateResult, OfALostWorker_IsTaken) {
  RoundFixture f(1, {"a"});
  f.round.OnWorkerLost("a", "connection reset", f.now);
  ASSERT_EQ(f.round.UnitOf(100), 0u);

  EXPECT_THAT(f.Result(100, "x"), ElementsAre("ingest 100 a u0 x"));
}

TEST(RoundResult, RepeatedWhileOpenOrAccepted_HasNoEffect) {
  RoundFixture f(2, {"a"});
  f.Result(100, "x");

  EXPECT_THAT(f.Result(100, "x"), IsEmpty());
  EXPECT_THAT(f.Result(100, "other"), IsEmpty());
  f.Accepted(100);
  EXPECT_THAT(f.Result(100, "x"), IsEmpty());
  EXPECT_THAT(f.Result(100, "other"), IsEmpty());
}

TEST(RoundResult, RepeatedAfterItsRejection_IsStale) {
  RoundFixture f(1, {"a"});
  f.Result(100, "x");
  f.Rejected(100);

  EXPECT_THAT(f.Result(100, "x"), ElementsAre("discard 100 stale"));
}

TEST(RoundResult, OfAnUnknownLease_IsStale) {
  RoundFixture f(1, {"a"});

  EXPECT_THAT(f.Result(5, "x"), ElementsAre("discard 5 stale"));
  EXPECT_EQ(f.round.UnitOf(5), std::nullopt);
}

TEST(RoundWorker, Lost_ItsUnitGoesToAnotherOne) {
  RoundFixture f(2, {"a", "b"});
  f.Result(101, "y");

  EXPECT_THAT(Text(f.round.OnWorkerLost("a", "killed", f.now)),
              ElementsAre("assign 102 b u0"));
}

TEST(RoundWorker, LostWhileItsResultIsOpen_TheResultStillCounts) {
  RoundFixture f(1, {"a"});
  f.Result(100, "x");
  f.round.OnWorkerLost("a", "killed", f.now);

  EXPECT_THAT(f.Accepted(100), ElementsAre("complete"));
}

TEST(RoundWorker, RejoiningUnderItsName_GetsItsUnitAgain) {
  RoundFixture f(1, {"a"});

  EXPECT_THAT(Text(f.round.OnWorkerJoined("a", f.now)),
              ElementsAre("assign 101 a u0"));
}

TEST(RoundStarvation, WithoutWorkers_AbandonsAndNamesWhatHappened) {
  RoundFixture f(2, {"a", "b"});
  f.round.OnWorkerLost("a", "killed by signal 9", f.now);
  f.round.OnWorkerLost("b", "connection reset", f.now);
  f.now += absl::Seconds(59);
  ASSERT_THAT(Text(f.round.OnAlarm(f.now)), IsEmpty());

  const Effects effects = f.After(absl::Seconds(1));

  EXPECT_THAT(Text(effects), ElementsAre("abandon UNAVAILABLE"));
  EXPECT_EQ(AbandonMessage(effects),
            "no worker for 1m; 2 units wait: TRAIN unit (task \"ner\", round "
            "3, shard 0), TRAIN unit (task \"ner\", round 3, shard 1); lost: "
            "\"a\" (killed by signal 9), \"b\" (connection reset). Start a "
            "worker and train again");
}

TEST(RoundStarvation, EndsWhenAWorkerJoins) {
  RoundFixture f(1, {});
  f.now += absl::Seconds(59);
  f.round.OnWorkerJoined("a", f.now);

  EXPECT_THAT(Text(f.After(absl::Seconds(1))), IsEmpty());
}

TEST(RoundStarvation, HungWorkersDoNotCount) {
  RoundFixture f(1, {"a"});
  f.After(absl::Minutes(5));

  const Effects effects = f.After(absl::Seconds(60));

  EXPECT_THAT(AbandonMessage(effects), HasSubstr("hung in a unit: \"a\""));
  EXPECT_THAT(Text(effects),
              ElementsAre("cancel 100 a", "abandon UNAVAILABLE"));
}

TEST(RoundCancel, StopsAllWorkersAndIsSilentAfterwards) {
  RoundFixture f(2, {"a", "b"});
  f.Result(100, "x");

  EXPECT_THAT(Text(f.round.Cancel(absl::CancelledError("by user"), f.now)),
              ElementsAre("cancel 101 b", "abandon CANCELLED"));
  EXPECT_THAT(f.Accepted(100), IsEmpty());
  EXPECT_THAT(f.Result(101, "y"), ElementsAre("discard 101 cancelled"));
  EXPECT_THAT(f.round.OnWorkerJoined("c", f.now), IsEmpty());
  EXPECT_THAT(f.After(absl::Hours(1)), IsEmpty());
  EXPECT_THAT(f.round.Cancel(absl::CancelledError("again"), f.now), IsEmpty());
  EXPECT_THAT(f.round.Unsettled(), IsEmpty());
}

}  // namespace
}  // namespace meanfield::round

#include "coordinator/round/round.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/coordinator/round/round_fixture.h"

namespace meanfield::round {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(RoundFailure, IsRetriedOnAnotherWorker) {
  RoundFixture f(1, {"a", "b"});

  EXPECT_THAT(f.Fails(100, absl::UnavailableError("no blob")),
              ElementsAre("assign 101 b u0"));
}

TEST(RoundFailure, OtherWorkerIsBusy_TheUnitWaitsForIt) {
  RoundFixture f(2, {"a", "b"});
  EXPECT_THAT(f.Fails(100, absl::InternalError("?")), IsEmpty());

  EXPECT_THAT(f.Result(101, "y"),
              ElementsAre("ingest 101 b u1 y", "assign 102 b u0"));
}

TEST(RoundFailure, NoOtherWorker_IsRetriedOnTheSameOne) {
  RoundFixture f(1, {"a"});

  EXPECT_THAT(f.Fails(100, absl::CancelledError("")),
              ElementsAre("assign 101 a u0"));
}

TEST(RoundFailure, OfAllAttempts_AbandonsWithTheLastReason) {
  RoundFixture f(1, {"a"});
  for (uint64_t lease = 100; lease < 103; ++lease) {
    f.Fails(lease, absl::InternalError("first"));
  }

  const Effects effects = f.round.OnFailure(
      103, absl::ResourceExhaustedError("out of memory on cuda:0"), f.now);

  EXPECT_THAT(Text(effects), ElementsAre("abandon RESOURCE_EXHAUSTED"));
  EXPECT_EQ(AbandonMessage(effects),
            "TRAIN unit (task \"ner\", round 3, shard 0) failed 4 times. Last: "
            "worker \"a\": out of memory on cuda:0");
}

TEST(RoundFailure, Diverged_IsTriedOnceMore) {
  RoundFixture f(1, {"a", "b"});
  EXPECT_THAT(f.Fails(100, absl::AbortedError("diverged at step 7")),
              ElementsAre("assign 101 b u0"));

  const Effects effects =
      f.round.OnFailure(101, absl::AbortedError("diverged at step 7"), f.now);

  EXPECT_THAT(Text(effects), ElementsAre("abandon ABORTED"));
  EXPECT_THAT(AbandonMessage(effects),
              AllOf(HasSubstr("diverged"), HasSubstr("shard 0"),
                    HasSubstr("worker \"b\": diverged at step 7")));
}

TEST(RoundFailure, BlobsThatDoNotFit_AbandonAfterTwo) {
  RoundFixture f(1, {"a", "b"});
  f.Fails(100, absl::InvalidArgumentError("tensor w"));

  EXPECT_THAT(f.Fails(101, absl::InvalidArgumentError("tensor w")),
              ElementsAre("abandon INVALID_ARGUMENT"));
}

TEST(RoundFailure, LapsesCountToo) {
  RoundFixture f(1, {"a", "b", "c", "d"});
  f.After(absl::Minutes(5));
  f.After(absl::Minutes(5));
  f.After(absl::Minutes(5));

  const Effects effects = f.After(absl::Minutes(5));

  EXPECT_EQ(Text(effects).back(), "abandon DEADLINE_EXCEEDED");
  EXPECT_THAT(AbandonMessage(effects), HasSubstr("no first step within 5m"));
}

TEST(RoundFailure, LostWorkersDoNotCountAsAttempts) {
  RoundFixture f(1, {});
  for (int i = 0; i < 11; ++i) {
    f.round.OnWorkerJoined("a", f.now);
    f.round.OnWorkerLost("a", "preempted", f.now);
  }
  EXPECT_FALSE(f.round.ended());
}

TEST(RoundFailure, UnitThatEndsEveryWorker_Abandons) {
  RoundFixture f(1, {});
  Effects effects;
  for (int i = 0; i < 12; ++i) {
    f.round.OnWorkerJoined("a", f.now);
    effects = f.round.OnWorkerLost("a", "killed by signal 11", f.now);
  }
  EXPECT_THAT(AbandonMessage(effects),
              AllOf(HasSubstr("lost its worker 12 times"),
                    HasSubstr("killed by signal 11")));
}

TEST(RoundFailure, OfACancelledLease_FreesTheWorker) {
  RoundFixture f(2, {"a", "b"});
  f.round.OnProgress(101, 1, f.now);
  f.now += absl::Minutes(5) - absl::Seconds(1);
  f.round.OnProgress(101, 2, f.now);
  f.After(absl::Seconds(1));  // a lapses on u0
  f.Result(101, "y");         // b takes u0 as lease 102
  f.Result(100, "x");         // a was only late
  ASSERT_THAT(f.Accepted(100), ElementsAre("cancel 102 b"));
  ASSERT_THAT(f.Rejected(101), ElementsAre("assign 103 a u1"));

  f.round.OnWorkerLost("a", "killed", f.now);
  EXPECT_THAT(f.Fails(102, absl::CancelledError("")),
              ElementsAre("assign 104 b u1"));
}

TEST(RoundFailure, ReportedTwice_CountsOnce) {
  RoundFixture f(1, {"a"});
  f.Fails(100, absl::AbortedError("diverged"));

  EXPECT_THAT(f.Fails(100, absl::AbortedError("diverged")), IsEmpty());
}

TEST(RoundRejection, IsRetriedOnAnotherWorker) {
  RoundFixture f(1, {"a", "b"});
  f.Result(100, "x");

  EXPECT_THAT(f.Rejected(100), ElementsAre("assign 101 b u0"));
}

TEST(RoundRejection, SameHashTwice_MeansTheTrainingDiverged) {
  RoundFixture f(1, {"a", "b"});
  f.Result(100, "x");
  f.Rejected(100);
  f.Result(101, "x");

  const Effects effects = f.round.OnRejected(101, "nan in rnn.weight", f.now);

  EXPECT_THAT(Text(effects), ElementsAre("abandon ABORTED"));
  EXPECT_THAT(AbandonMessage(effects),
              AllOf(HasSubstr("diverged"), HasSubstr("shard 0"),
                    HasSubstr("nan in rnn.weight")));
}

TEST(RoundRejection, DifferentHashes_AreRetriedUpToTheLimit) {
  RoundFixture f(1, {"a", "b"});
  for (uint64_t lease = 100; lease < 103; ++lease) {
    f.Result(lease, absl::StrCat("x", lease));
    f.Rejected(lease);
  }
  f.Result(103, "x103");

  EXPECT_THAT(f.Rejected(103), ElementsAre("abandon DATA_LOSS"));
}

TEST(RoundRejection, WhileAnotherAttemptRuns_WaitsForThatOne) {
  RoundFixture f(1, {"a", "b", "c"});
  f.After(absl::Minutes(5));
  f.Result(100, "x");

  EXPECT_THAT(f.Rejected(100), IsEmpty());
  EXPECT_THAT(f.Result(101, "y"), ElementsAre("ingest 101 b u0 y"));
}

}  // namespace
}  // namespace meanfield::round

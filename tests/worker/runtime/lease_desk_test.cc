#include "worker/runtime/lease_desk.h"

#include <thread>

#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace meanfield {
namespace {

using Stopped = LeaseDesk::Stopped;

proto::Lease LeaseOf(uint64_t id, uint32_t shard) {
  proto::Lease lease;
  lease.set_id(id);
  lease.mutable_unit()->mutable_key()->set_shard(shard);
  return lease;
}

TEST(LeaseDesk, NewSession_ComesBeforeItsLease) {
  LeaseDesk desk;
  desk.OnLease(LeaseOf(1, 0));
  desk.OnSession();

  const LeaseDesk::Event first = desk.Next();
  EXPECT_FALSE(first.lease.has_value());
  EXPECT_FALSE(first.end.has_value());
  EXPECT_EQ(desk.Next().lease->id(), 1u);
}

TEST(LeaseDesk, Next_WaitsForTheOtherThread) {
  LeaseDesk desk;
  std::jthread other([&] { desk.OnLease(LeaseOf(1, 0)); });

  EXPECT_EQ(desk.Next().lease->id(), 1u);
}

TEST(LeaseDesk, NewestPendingLease_Counts) {
  LeaseDesk desk;
  desk.OnLease(LeaseOf(1, 0));
  desk.OnLease(LeaseOf(2, 5));

  EXPECT_EQ(desk.Next().lease->id(), 2u);
}

TEST(LeaseDesk, CancelOfTheUnitInProgress_StopsIt) {
  LeaseDesk desk;
  desk.OnLease(LeaseOf(1, 0));
  const LeaseDesk::Event event = desk.Next();

  EXPECT_TRUE(desk.OnCancel(1, "the round is over"));

  EXPECT_TRUE(event.stop.stop_requested());
  EXPECT_EQ(desk.standing(),
            (LeaseDesk::Standing{.lease = 1,
                                 .stopped = Stopped::kCancelled,
                                 .reason = "the round is over"}));
}

TEST(LeaseDesk, CancelOfAPendingLease_TakesItAway) {
  LeaseDesk desk;
  desk.OnLease(LeaseOf(1, 0));

  EXPECT_FALSE(desk.OnCancel(1, ""));

  desk.OnEnd(absl::OkStatus());
  EXPECT_TRUE(desk.Next().end.has_value());
}

TEST(LeaseDesk, CancelOfAnotherLease_StopsNothing) {
  LeaseDesk desk;
  desk.OnLease(LeaseOf(1, 0));
  const LeaseDesk::Event event = desk.Next();

  EXPECT_FALSE(desk.OnCancel(2, ""));

  EXPECT_FALSE(event.stop.stop_requested());
}

TEST(LeaseDesk, SecondCancel_IsAnsweredByTheConnection) {
  LeaseDesk desk;
  desk.OnLease(LeaseOf(1, 0));
  desk.Next();
  ASSERT_TRUE(desk.OnCancel(1, ""));

  EXPECT_FALSE(desk.OnCancel(1, ""));
}

TEST(LeaseDesk, LeaseOfTheSameUnit_GoesOnUnderTheNewNumber) {
  LeaseDesk desk;
  desk.OnLease(LeaseOf(1, 0));
  const LeaseDesk::Event event = desk.Next();

  desk.OnLease(LeaseOf(2, 0));

  EXPECT_FALSE(event.stop.stop_requested());
  EXPECT_EQ(desk.standing().lease, 2u);
  EXPECT_EQ(desk.progress()->lease(), 2u);
}

TEST(LeaseDesk, LeaseOfAnotherUnit_ReplacesTheUnitInProgress) {
  LeaseDesk desk;
  desk.OnLease(LeaseOf(1, 0));
  const LeaseDesk::Event event = desk.Next();

  desk.OnLease(LeaseOf(2, 1));

  EXPECT_TRUE(event.stop.stop_requested());
  EXPECT_EQ(desk.standing().stopped, Stopped::kReplaced);
  EXPECT_TRUE(desk.Finish(desk.standing()));
  EXPECT_EQ(desk.Next().lease->id(), 2u);
}

TEST(LeaseDesk, CancelledUnitThatComesAgain_WaitsForItsTurn) {
  LeaseDesk desk;
  desk.OnLease(LeaseOf(1, 0));
  desk.Next();
  desk.OnCancel(1, "");

  desk.OnLease(LeaseOf(2, 0));

  EXPECT_EQ(desk.standing().stopped, Stopped::kCancelled);
  EXPECT_TRUE(desk.Finish(desk.standing()));
  EXPECT_EQ(desk.Next().lease->id(), 2u);
}

TEST(LeaseDesk, Finish_FailsWhereTheLeaseChangedSinceItsAnswer) {
  LeaseDesk desk;
  desk.OnLease(LeaseOf(1, 0));
  desk.Next();
  const LeaseDesk::Standing answered = desk.standing();

  desk.OnLease(LeaseOf(2, 0));

  EXPECT_FALSE(desk.Finish(answered));
  EXPECT_TRUE(desk.Finish(desk.standing()));
  EXPECT_EQ(desk.progress(), std::nullopt);
}

TEST(LeaseDesk, End_StopsTheUnitAndComesFirst) {
  LeaseDesk desk;
  desk.OnLease(LeaseOf(1, 0));
  const LeaseDesk::Event event = desk.Next();
  desk.OnSession();

  desk.OnEnd(absl::UnavailableError("out of reach"));
  desk.OnEnd(absl::OkStatus());

  EXPECT_TRUE(event.stop.stop_requested());
  EXPECT_TRUE(desk.end_token().stop_requested());
  EXPECT_EQ(desk.standing().stopped, Stopped::kEnded);
  EXPECT_EQ(desk.Next().end, absl::UnavailableError("out of reach"));
}

TEST(LeaseDesk, Progress_IsOfTheUnitInProgress) {
  LeaseDesk desk;
  EXPECT_EQ(desk.progress(), std::nullopt);
  desk.OnLease(LeaseOf(7, 0));
  desk.Next();

  desk.Report(
      {.steps_done = 3, .tokens_done = 40, .loss_sum = 1.5, .loss_count = 30});

  EXPECT_EQ(desk.progress()->lease(), 7u);
  EXPECT_EQ(desk.progress()->steps_done(), 3u);
  EXPECT_EQ(desk.progress()->loss_sum(), 1.5);
}

}  // namespace
}  // namespace meanfield

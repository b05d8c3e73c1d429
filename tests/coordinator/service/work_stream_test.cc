#include "coordinator/service/work_stream.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/coordinator/service/service_fixture.h"

namespace meanfield {
namespace {

using ::meanfield::testing::FakeSessions;
using ::meanfield::testing::RawWorker;
using ::meanfield::testing::StatusIs;
using ::meanfield::testing::TimePasses;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Record = FakeSessions::Record;

class WorkStreamTest : public testing::ServiceFixture {};

proto::Unit SomeUnit() {
  proto::Unit unit;
  unit.mutable_key()->set_run("run-1");
  unit.mutable_key()->set_kind(proto::TRAIN);
  return unit;
}

TEST_F(WorkStreamTest, Hello_JoinsTheWorker) {
  RawWorker worker(*stub_);
  proto::WorkerMessage hello = RawWorker::Hello("lab:cuda:0", 17);
  hello.mutable_hello()->set_device("cuda:0 NVIDIA H100");
  ASSERT_TRUE(worker.Send(hello));

  const auto joined = sessions_.WaitForWorker();

  EXPECT_EQ(joined.worker.name, "lab:cuda:0");
  EXPECT_EQ(joined.worker.incarnation, 17u);
  EXPECT_EQ(joined.worker.device, "cuda:0 NVIDIA H100");
}

TEST_F(WorkStreamTest, Welcome_CarriesTokenAndHeartbeat) {
  Start({.heartbeat = absl::Milliseconds(700)});
  RawWorker worker(*stub_);
  ASSERT_TRUE(worker.Send(RawWorker::Hello()));

  proto::CoordinatorMessage message;
  ASSERT_TRUE(worker.Receive(message));

  EXPECT_EQ(message.welcome().session_token(), "session-0");
  EXPECT_EQ(message.welcome().heartbeat_ms(), 700u);
}

TEST_F(WorkStreamTest, LeaseCancelDismiss_ComeInOrder) {
  RawWorker worker(*stub_);
  worker.Join();
  const auto link = sessions_.WaitForWorker().link;

  link->Assign(5, SomeUnit());
  link->Cancel(5, "no longer needed");
  link->Dismiss("done");

  proto::CoordinatorMessage message;
  ASSERT_TRUE(worker.Receive(message));
  EXPECT_EQ(message.lease().id(), 5u);
  EXPECT_EQ(message.lease().unit().key().run(), "run-1");
  ASSERT_TRUE(worker.Receive(message));
  EXPECT_EQ(message.cancel().reason(), "no longer needed");
  ASSERT_TRUE(worker.Receive(message));
  EXPECT_EQ(message.dismiss().reason(), "done");
}

TEST_F(WorkStreamTest, Reports_ReachTheDriverInOrder) {
  RawWorker worker(*stub_);
  worker.Join();
  proto::WorkerMessage message;
  message.mutable_progress()->set_lease(5);
  message.mutable_progress()->set_steps_done(11);
  ASSERT_TRUE(worker.Send(message));
  message.mutable_done()->set_lease(5);
  message.mutable_done()->mutable_result()->mutable_statistics()->set_steps(12);
  ASSERT_TRUE(worker.Send(message));
  message.mutable_failed()->set_lease(6);
  message.mutable_failed()->set_code(8);
  message.mutable_failed()->set_message("out of memory on cuda:0");
  ASSERT_TRUE(worker.Send(message));

  sessions_.Wait([](const Record& r) { return !r.failures.empty(); });

  const Record record = sessions_.record();
  EXPECT_EQ(record.progress.at(0).steps_done, 11u);
  EXPECT_EQ(record.results.at(0).result.statistics().steps(), 12u);
  EXPECT_EQ(record.failures.at(0).status,
            absl::ResourceExhaustedError("out of memory on cuda:0"));
}

TEST_F(WorkStreamTest, OtherVersion_IsRefusedWithBothNumbers) {
  RawWorker worker(*stub_);
  proto::WorkerMessage hello = RawWorker::Hello();
  hello.mutable_hello()->set_protocol_version(7);
  ASSERT_TRUE(worker.Send(hello));

  EXPECT_THAT(worker.End(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                     AllOf(HasSubstr("version 7"),
                                           HasSubstr("coordinator 1"))));
  EXPECT_TRUE(sessions_.record().joined.empty());
}

TEST_F(WorkStreamTest, RefusedJoin_KeepsTheDriversWords) {
  sessions_.RefuseJoins(absl::FailedPreconditionError("a newer one lives"));
  RawWorker worker(*stub_);
  ASSERT_TRUE(worker.Send(RawWorker::Hello()));

  EXPECT_EQ(worker.End(), absl::FailedPreconditionError("a newer one lives"));
}

TEST_F(WorkStreamTest, MessageBeforeHello_IsInvalid) {
  RawWorker worker(*stub_);
  proto::WorkerMessage message;
  message.mutable_heartbeat();
  ASSERT_TRUE(worker.Send(message));

  EXPECT_THAT(worker.End(), StatusIs(absl::StatusCode::kInvalidArgument,
                                     HasSubstr("must be Hello")));
}

TEST_F(WorkStreamTest, SecondHello_IsInvalidAndEndsTheSession) {
  RawWorker worker(*stub_);
  worker.Join();
  ASSERT_TRUE(worker.Send(RawWorker::Hello()));

  EXPECT_THAT(worker.End(), StatusIs(absl::StatusCode::kInvalidArgument,
                                     HasSubstr("second Hello")));
  sessions_.Wait([](const Record& r) { return r.left.size() == 1; });
}

class MalformedMessage
    : public WorkStreamTest,
      public ::testing::WithParamInterface<proto::WorkerMessage> {};

TEST_P(MalformedMessage, IsInvalid) {
  RawWorker worker(*stub_);
  worker.Join();
  ASSERT_TRUE(worker.Send(GetParam()));

  EXPECT_THAT(worker.End(),
              StatusIs(absl::StatusCode::kInvalidArgument, ::testing::_));
}

proto::WorkerMessage FailedWithCode(int code) {
  proto::WorkerMessage message;
  message.mutable_failed()->set_code(code);
  return message;
}
proto::WorkerMessage DoneWithoutResult() {
  proto::WorkerMessage message;
  message.mutable_done()->set_lease(1);
  return message;
}
INSTANTIATE_TEST_SUITE_P(All, MalformedMessage,
                         ::testing::Values(proto::WorkerMessage(),
                                           DoneWithoutResult(),
                                           FailedWithCode(0),
                                           FailedWithCode(-1),
                                           FailedWithCode(17)));

TEST_F(WorkStreamTest, HelloWithoutOrWithEndlessName_IsInvalid) {
  for (const size_t size : {size_t{0}, size_t{1} << 20}) {
    RawWorker worker(*stub_);
    ASSERT_TRUE(worker.Send(RawWorker::Hello(std::string(size, 'x'))));

    EXPECT_THAT(worker.End(),
                StatusIs(absl::StatusCode::kInvalidArgument, ::testing::_));
  }
}

TEST_F(WorkStreamTest, WorkerThatLeaves_LeavesWell) {
  RawWorker worker(*stub_);
  worker.Join();

  worker.Leave();

  EXPECT_OK(worker.End());
  sessions_.Wait([](const Record& r) { return r.left.size() == 1; });
  EXPECT_OK(sessions_.record().left.at(0).why);
}

TEST_F(WorkStreamTest, KilledWorker_LeavesAsUnavailable) {
  RawWorker worker(*stub_);
  worker.Join();

  worker.Kill();

  sessions_.Wait([](const Record& r) { return r.left.size() == 1; });
  EXPECT_EQ(sessions_.record().left.at(0).session, "session-0");
  EXPECT_EQ(sessions_.record().left.at(0).why.code(),
            absl::StatusCode::kUnavailable);
}

TEST_F(WorkStreamTest, SilentWorker_Leaves) {
  Start({.silence_limit = absl::Seconds(15), .clock = &clock_});
  RawWorker worker(*stub_);
  worker.Join();
  const TimePasses time(clock_);

  EXPECT_THAT(worker.End(), StatusIs(absl::StatusCode::kUnavailable,
                                     HasSubstr("said nothing for 15s")));
  sessions_.Wait([](const Record& r) { return r.left.size() == 1; });
}

TEST_F(WorkStreamTest, StreamWithoutHello_IsEndedToo) {
  Start({.clock = &clock_});
  RawWorker worker(*stub_);
  const TimePasses time(clock_);

  EXPECT_THAT(worker.End(),
              StatusIs(absl::StatusCode::kUnavailable, ::testing::_));
  EXPECT_TRUE(sessions_.record().left.empty());
}

TEST_F(WorkStreamTest, Heartbeats_KeepTheStreamOpen) {
  Start({.silence_limit = absl::Seconds(15), .clock = &clock_});
  RawWorker worker(*stub_);
  worker.Join();
  proto::WorkerMessage beat;
  beat.mutable_progress()->set_lease(1);

  for (size_t i = 1; i <= 10; ++i) {
    clock_.Advance(absl::Seconds(10));
    ASSERT_TRUE(worker.Send(beat));
    sessions_.Wait([i](const Record& r) { return r.progress.size() == i; });
  }

  EXPECT_TRUE(sessions_.record().left.empty());
}

TEST_F(WorkStreamTest, WorkerThatLeavesButHardlyReads_IsCutOff) {
  Start({.clock = &clock_});
  RawWorker worker(*stub_);
  worker.Join();
  const auto link = sessions_.WaitForWorker().link;
  proto::Unit unit;
  unit.mutable_key()->set_task(std::string(3 << 20, 'x'));
  for (int i = 0; i < 30; ++i) link->Assign(i, unit);

  worker.Leave();
  proto::CoordinatorMessage message;
  while (worker.Receive(message)) clock_.Advance(absl::Seconds(20));

  EXPECT_EQ(worker.End().code(), absl::StatusCode::kCancelled);
}

TEST_F(WorkStreamTest, WorkerThatDoesNotRead_IsCutOff) {
  RawWorker worker(*stub_);
  worker.Join();
  const auto link = sessions_.WaitForWorker().link;
  proto::Unit unit;
  unit.mutable_key()->set_task(std::string(1 << 20, 'x'));

  for (int i = 0; i < 400; ++i) link->Assign(i, unit);

  sessions_.Wait([](const Record& r) { return r.left.size() == 1; });
  EXPECT_EQ(sessions_.record().left.at(0).why.code(),
            absl::StatusCode::kResourceExhausted);
}

TEST_F(WorkStreamTest, NewerProcessOfTheName_ReplacesTheOlder) {
  RawWorker older(*stub_);
  older.Join("w", 1);
  RawWorker newer(*stub_);
  EXPECT_EQ(newer.Join("w", 2), "session-1");

  proto::CoordinatorMessage message;
  ASSERT_TRUE(older.Receive(message));
  EXPECT_THAT(message.dismiss().reason(), HasSubstr("replaced"));
}

TEST_F(WorkStreamTest, LinkOfAGoneWorker_DoesNothing) {
  RawWorker worker(*stub_);
  worker.Join();
  const auto link = sessions_.WaitForWorker().link;
  worker.Leave();
  EXPECT_OK(worker.End());
  server_.reset();

  link->Assign(1, SomeUnit());
  link->Cancel(1, "");
  link->Dismiss("");
}

}  // namespace
}  // namespace meanfield

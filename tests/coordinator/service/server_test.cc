#include "coordinator/service/server.h"

#include <memory>
#include <string>
#include <vector>

#include "common/rpc/address.h"
#include "gtest/gtest.h"
#include "tests/coordinator/service/service_fixture.h"

namespace meanfield {
namespace {

using ::meanfield::testing::RawWorker;
using ::meanfield::testing::StatusIs;
using service::Server;
using ::testing::_;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ServerTest : public testing::ServiceFixture {
 protected:
  absl::Status StartAt(const std::string& listen, bool insecure = false) {
    return Server::Start(runs_, sessions_,
                         {.listen = listen, .insecure = insecure})
        .status();
  }
};

TEST_F(ServerTest, PortZero_PicksOne) {
  EXPECT_GT(server_->port(), 0);
  EXPECT_EQ(server_->address(), "127.0.0.1:" + std::to_string(server_->port()));
}

TEST_F(ServerTest, AddressInUse_IsUnavailableAndNamed) {
  EXPECT_THAT(StartAt(server_->address()),
              StatusIs(absl::StatusCode::kUnavailable,
                       AllOf(HasSubstr(server_->address()),
                             HasSubstr("Address already in use"))));
}

TEST_F(ServerTest, ForeignAddress_IsUnavailableAndNamed) {
  EXPECT_THAT(
      StartAt("192.0.2.1:7070", /*insecure=*/true),
      StatusIs(absl::StatusCode::kUnavailable, HasSubstr("192.0.2.1:7070")));
}

TEST_F(ServerTest, BeyondLoopback_IsRefusedUnlessInsecure) {
  EXPECT_THAT(
      StartAt("0.0.0.0:0"),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               AllOf(HasSubstr("not encrypted"), HasSubstr("--insecure"))));
  EXPECT_OK(StartAt("0.0.0.0:0", /*insecure=*/true));
}

TEST_F(ServerTest, MalformedAddress_IsInvalid) {
  EXPECT_THAT(StartAt("7070"), StatusIs(absl::StatusCode::kInvalidArgument, _));
}

TEST_F(ServerTest, PortIsFree_AfterTheServer) {
  const std::string address = server_->address();
  server_.reset();

  EXPECT_OK(StartAt(address));
}

TEST_F(ServerTest, Drain_TellsWorkersToComeBack) {
  RawWorker worker(*stub_);
  worker.Join();

  server_.reset();

  EXPECT_THAT(worker.End(),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("goes down")));
  sessions_.Wait([](const auto& record) { return record.left.size() == 1; });
}

TEST_F(ServerTest, Drain_CutsOffWorkersThatDoNotRead) {
  Start({.drain_limit = absl::Milliseconds(200)});
  RawWorker worker(*stub_);
  worker.Join();
  proto::Unit unit;
  unit.mutable_key()->set_task(std::string(2 << 20, 'x'));
  const auto link = sessions_.WaitForWorker().link;
  for (int i = 0; i < 100; ++i) link->Assign(i, unit);

  server_.reset();

  EXPECT_FALSE(worker.End().ok());
}

TEST_F(ServerTest, DismissWorkers_WaitsUntilTheyAreGone) {
  std::vector<std::unique_ptr<RawWorker>> workers;
  for (const char* name : {"a", "b"}) {
    workers.push_back(std::make_unique<RawWorker>(*stub_));
    workers.back()->Join(name);
  }
  std::thread leaving([&] {
    for (const auto& worker : workers) {
      proto::CoordinatorMessage message;
      EXPECT_TRUE(worker->Receive(message));
      EXPECT_EQ(message.dismiss().reason(), "the run has ended");
      worker->Leave();
      EXPECT_OK(worker->End());
    }
  });

  server_->DismissWorkers("the run has ended");

  EXPECT_EQ(sessions_.record().joined.size(), 2u);
  leaving.join();
}

TEST_F(ServerTest, WorkerThatComesAfterDismissal_IsDismissed) {
  server_->DismissWorkers("the run has ended");
  RawWorker worker(*stub_);
  ASSERT_TRUE(worker.Send(RawWorker::Hello()));

  proto::CoordinatorMessage message;
  ASSERT_TRUE(worker.Receive(message));

  EXPECT_EQ(message.dismiss().reason(), "the run has ended");
  EXPECT_TRUE(sessions_.record().joined.empty());
}

TEST_F(ServerTest, WorkerThatIgnoresDismissal_HoldsNothingUp) {
  Start({.drain_limit = absl::Milliseconds(50)});
  RawWorker worker(*stub_);
  worker.Join();

  server_->DismissWorkers("the run has ended");
  server_.reset();

  EXPECT_FALSE(worker.End().ok());
}

TEST_F(ServerTest, Submit_PassesTheSourceOn) {
  grpc::ClientContext context;
  proto::SubmitRequest request;
  request.set_job_text("shards: 2");
  request.set_job_path("tickets.textproto");
  request.add_overrides("seed=7");
  request.set_corpus_root("/srv/corpora");
  proto::SubmitResponse response;

  ASSERT_TRUE(stub_->Submit(&context, request, &response).ok());

  EXPECT_EQ(response.run(), "run-1");
  const job::JobSource& source = runs_.submitted.at(0);
  EXPECT_EQ(source.text, "shards: 2");
  EXPECT_EQ(source.path, "tickets.textproto");
  EXPECT_THAT(source.overrides, ElementsAre("seed=7"));
  EXPECT_EQ(source.default_shards, std::nullopt);
  EXPECT_EQ(source.corpus_root, "/srv/corpora");
}

TEST_F(ServerTest, Submit_BringsEveryFaultBack) {
  runs_.submit_status = absl::InvalidArgumentError("a:1:1: x\na:2:1: y");
  grpc::ClientContext context;
  proto::SubmitResponse response;

  EXPECT_EQ(rpc::FromGrpcStatus(stub_->Submit(&context, {}, &response)),
            runs_.submit_status);
}

TEST_F(ServerTest, Cancel_ReachesTheRun) {
  grpc::ClientContext context;
  proto::CancelRequest request;
  request.set_run("run-1");
  request.set_reason("wrong file");
  proto::CancelResponse response;

  ASSERT_TRUE(stub_->Cancel(&context, request, &response).ok());

  EXPECT_THAT(runs_.cancelled, ElementsAre(std::pair("run-1", "wrong file")));
}

TEST_F(ServerTest, GetRun_ReturnsItsRecords) {
  proto::RunRecord run;
  run.set_id("run-1");
  run.set_state(proto::RUNNING);
  ASSERT_OK(runs_.store().PutRun(run));
  grpc::ClientContext context;
  proto::GetRunRequest request;
  request.set_run("run-1");
  proto::RunDetails response;

  ASSERT_TRUE(stub_->GetRun(&context, request, &response).ok());

  EXPECT_EQ(response.run().state(), proto::RUNNING);
}

TEST_F(ServerTest, GetRun_Unknown_IsNotFound) {
  grpc::ClientContext context;
  proto::GetRunRequest request;
  request.set_run("run-9");
  proto::RunDetails response;

  EXPECT_EQ(stub_->GetRun(&context, request, &response).error_code(),
            grpc::NOT_FOUND);
}

TEST_F(ServerTest, ListRuns_SummarisesThem) {
  proto::RunRecord run;
  run.set_id("run-1");
  run.mutable_job()->set_name("tickets");
  run.mutable_job()->mutable_stop()->set_max_rounds(8);
  run.set_state(proto::FAILED);
  run.set_reason("diverged");
  ASSERT_OK(runs_.store().PutRun(run));
  grpc::ClientContext context;
  proto::ListRunsResponse response;

  ASSERT_TRUE(stub_->ListRuns(&context, {}, &response).ok());

  ASSERT_EQ(response.runs_size(), 1);
  EXPECT_EQ(response.runs(0).name(), "tickets");
  EXPECT_EQ(response.runs(0).rounds_planned(), 8u);
  EXPECT_EQ(response.runs(0).reason(), "diverged");
}

TEST_F(ServerTest, ListWorkers_SaysWhatTheyDo) {
  runs_.workers = {{.identity = {.name = "gpu-0", .device = "cuda:0", .pid = 7},
                    .connected = absl::Seconds(90),
                    .units_done = 3,
                    .unit = "r2/task/train/shard 1",
                    .unit_time = absl::Seconds(2),
                    .steps_done = 40}};
  grpc::ClientContext context;
  proto::ListWorkersResponse response;

  ASSERT_TRUE(stub_->ListWorkers(&context, {}, &response).ok());

  ASSERT_EQ(response.workers_size(), 1);
  EXPECT_EQ(response.workers(0).name(), "gpu-0");
  EXPECT_EQ(response.workers(0).connected_s(), 90);
  EXPECT_EQ(response.workers(0).units_done(), 3u);
  EXPECT_EQ(response.workers(0).unit(), "r2/task/train/shard 1");
  EXPECT_EQ(response.workers(0).steps_done(), 40u);
}

}  // namespace
}  // namespace meanfield

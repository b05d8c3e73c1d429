#include "coordinator/cli/coordinator_client.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace meanfield::cli {
namespace {

using ::meanfield::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A coordinator that knows one run, "r1".
class FakeCoordinator : public proto::Coordinator::Service {
 public:
  grpc::Status Submit(grpc::ServerContext*, const proto::SubmitRequest* request,
                      proto::SubmitResponse* response) override {
    if (request->job_text().empty()) {
      return {grpc::StatusCode::INVALID_ARGUMENT, "job:1:1: no task"};
    }
    response->set_run("r1");
    return grpc::Status::OK;
  }
  grpc::Status Cancel(grpc::ServerContext*, const proto::CancelRequest* request,
                      proto::CancelResponse*) override {
    reason = request->reason();
    return Known(request->run());
  }
  grpc::Status Watch(grpc::ServerContext* context,
                     const proto::WatchRequest* request,
                     grpc::ServerWriter<proto::RunEvent>* writer) override {
    if (!Known(request->run()).ok()) return Known(request->run());
    proto::RunEvent event;
    event.mutable_note()->set_text("one");
    writer->Write(event);
    if (ends) {
      event.mutable_ended()->set_state(proto::DONE);
      writer->Write(event);
    }
    // One that does not end waits for its reader to go.
    while (holds && !context->IsCancelled()) {
    }
    return grpc::Status::OK;
  }

  bool ends = true;
  bool holds = false;
  std::string reason;

 private:
  static grpc::Status Known(const std::string& run) {
    if (run == "r1") return grpc::Status::OK;
    return {grpc::StatusCode::NOT_FOUND, absl::StrCat("no run ", run)};
  }
};

class CoordinatorClientTest : public ::testing::Test {
 protected:
  CoordinatorClientTest() {
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                             &port);
    builder.RegisterService(&fake_);
    server_ = builder.BuildAndStart();
    address_ = absl::StrCat("127.0.0.1:", port);
    client_ = *CoordinatorClient::Create(address_);
  }

  FakeCoordinator fake_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
  std::unique_ptr<CoordinatorClient> client_;
};

TEST_F(CoordinatorClientTest, Submit_ReturnsTheRunsId) {
  proto::SubmitRequest request;
  request.set_job_text("task {}");

  ASSERT_OK_AND_ASSIGN(const std::string run, client_->Submit(request));

  EXPECT_EQ(run, "r1");
}

TEST_F(CoordinatorClientTest, Refusal_KeepsCodeAndTextAndNamesTheCoordinator) {
  EXPECT_THAT(client_->Submit({}), StatusIs(absl::StatusCode::kInvalidArgument,
                                            AllOf(HasSubstr("job:1:1: no task"),
                                                  HasSubstr(address_))));
}

TEST_F(CoordinatorClientTest, Cancel_SendsTheReason) {
  EXPECT_OK(client_->Cancel("r1", "not \xff needed"));

  EXPECT_EQ(fake_.reason, "not ? needed");
  EXPECT_THAT(client_->Cancel("r2", ""),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("no run r2")));
}

TEST_F(CoordinatorClientTest, Watch_ShowsEventsToTheEnd) {
  std::vector<int> kinds;
  EXPECT_OK(client_->Watch("r1", [&](const proto::RunEvent& event) {
    kinds.push_back(event.kind_case());
  }));

  EXPECT_THAT(kinds,
              ElementsAre(proto::RunEvent::kNote, proto::RunEvent::kEnded));
}

TEST_F(CoordinatorClientTest, WatchThatEndsBeforeTheRun_IsUnavailable) {
  fake_.ends = false;

  EXPECT_THAT(client_->Watch("r1", [](const proto::RunEvent&) {}),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("went away")));
}

TEST_F(CoordinatorClientTest, StopWatching_EndsAWatch) {
  fake_.ends = false;
  fake_.holds = true;

  EXPECT_THAT(
      client_->Watch("r1",
                     [&](const proto::RunEvent&) { client_->StopWatching(); }),
      StatusIs(absl::StatusCode::kCancelled, HasSubstr("interrupted")));
}

TEST_F(CoordinatorClientTest, NoCoordinator_IsUnavailableAndSaysWhatToDo) {
  server_->Shutdown();

  EXPECT_THAT(client_->ListRuns(),
              StatusIs(absl::StatusCode::kUnavailable,
                       AllOf(HasSubstr(address_), HasSubstr("--coordinator"))));
}

TEST(CoordinatorClient, MalformedAddress_IsRefused) {
  EXPECT_THAT(CoordinatorClient::Create("nowhere"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("")));
}

}  // namespace
}  // namespace meanfield::cli

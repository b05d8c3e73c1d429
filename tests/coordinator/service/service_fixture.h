#ifndef MEANFIELD_TESTS_COORDINATOR_SERVICE_SERVICE_FIXTURE_H_
#define MEANFIELD_TESTS_COORDINATOR_SERVICE_SERVICE_FIXTURE_H_

#include <memory>
#include <string>
#include <utility>

#include "common/rpc/channel.h"
#include "common/rpc/grpc_status.h"
#include "common/rpc/protocol.h"
#include "coordinator/service/server.h"
#include "gtest/gtest.h"
#include "proto/coordinator.grpc.pb.h"
#include "tests/coordinator/service/fake_runs.h"
#include "tests/coordinator/service/fake_sessions.h"
#include "tests/support/manual_clock.h"
#include "tests/support/status_matchers.h"

namespace meanfield::testing {

// A worker as bytes on the wire: says only what the test says.
class RawWorker {
 public:
  explicit RawWorker(proto::Coordinator::Stub& stub)
      : stream_(stub.Work(&context_)) {}
  // A test that ends early leaves no call open.
  ~RawWorker() {
    context_.TryCancel();
    if (stream_ != nullptr) stream_->Finish();
  }

  static proto::WorkerMessage Hello(const std::string& name = "w",
                                    uint64_t incarnation = 1) {
    proto::WorkerMessage message;
    message.mutable_hello()->set_protocol_version(rpc::kProtocolVersion);
    message.mutable_hello()->set_worker(name);
    message.mutable_hello()->set_incarnation(incarnation);
    return message;
  }
  bool Send(const proto::WorkerMessage& message) {
    return stream_->Write(message);
  }
  // False at the end of the stream.
  bool Receive(proto::CoordinatorMessage& message) {
    return stream_->Read(&message);
  }
  // Says Hello; the session token of the answer.
  std::string Join(const std::string& name = "w", uint64_t incarnation = 1) {
    EXPECT_TRUE(Send(Hello(name, incarnation)));
    proto::CoordinatorMessage message;
    EXPECT_TRUE(Receive(message));
    EXPECT_TRUE(message.has_welcome());
    return message.welcome().session_token();
  }
  void Leave() { stream_->WritesDone(); }
  void Kill() { context_.TryCancel(); }
  // Reads to the end.
  absl::Status End() {
    proto::CoordinatorMessage message;
    while (stream_->Read(&message)) {
    }
    return rpc::FromGrpcStatus(std::exchange(stream_, nullptr)->Finish());
  }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<
      grpc::ClientReaderWriter<proto::WorkerMessage, proto::CoordinatorMessage>>
      stream_;
};

// A real server on a free loopback port before a fake coordinator.
class ServiceFixture : public ::testing::Test {
 protected:
  void SetUp() override { Start({}); }
  void Start(service::Server::Options options) {
    stub_.reset();
    server_.reset();
    options.listen = "127.0.0.1:0";
    auto started = service::Server::Start(runs_, sessions_, options);
    ASSERT_OK(started);
    server_ = *std::move(started);
    stub_ = proto::Coordinator::NewStub(rpc::MakeChannel(server_->address()));
  }

  ManualClock clock_;  // of servers that a test starts with it
  FakeRuns runs_;
  FakeSessions sessions_;
  std::unique_ptr<service::Server> server_;
  std::unique_ptr<proto::Coordinator::Stub> stub_;
};

}  // namespace meanfield::testing

#endif  // MEANFIELD_TESTS_COORDINATOR_SERVICE_SERVICE_FIXTURE_H_

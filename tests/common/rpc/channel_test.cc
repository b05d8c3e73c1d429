#include "common/rpc/channel.h"

#include <memory>
#include <string>

#include "common/rpc/grpc_status.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server.h"
#include "gtest/gtest.h"
#include "proto/coordinator.grpc.pb.h"
#include "tests/support/status_matchers.h"

namespace meanfield::rpc {
namespace {

using ::meanfield::testing::StatusIs;
using ::testing::HasSubstr;

// Answers Submit with the status that the test set; Work stays silent.
class ScriptedService : public proto::Coordinator::CallbackService {
 public:
  absl::Status answer;

  grpc::ServerUnaryReactor* Submit(grpc::CallbackServerContext* context,
                                   const proto::SubmitRequest* /*request*/,
                                   proto::SubmitResponse* /*out*/) override {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish(ToGrpcStatus(answer));
    return reactor;
  }

  grpc::ServerBidiReactor<proto::WorkerMessage, proto::CoordinatorMessage>*
  Work(grpc::CallbackServerContext* /*context*/) override {
    class Silent : public grpc::ServerBidiReactor<proto::WorkerMessage,
                                                  proto::CoordinatorMessage> {
      void OnCancel() override { Finish(grpc::Status::CANCELLED); }
      void OnDone() override { delete this; }
    };
    return new Silent;
  }
};

class ChannelTest : public ::testing::Test {
 protected:
  void Start(const Keepalive& keepalive = {}) {
    grpc::ServerBuilder builder;
    ConfigureServer(builder, keepalive);
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                             &port);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    ASSERT_NE(server_, nullptr);
    address_ = "127.0.0.1:" + std::to_string(port);
    stub_ = proto::Coordinator::NewStub(MakeChannel(address_, keepalive));
  }
  ~ChannelTest() override {
    if (server_ != nullptr) server_->Shutdown(After(absl::ZeroDuration()));
  }
  absl::Status Submit(const proto::SubmitRequest& request) {
    grpc::ClientContext context;
    proto::SubmitResponse response;
    return FromGrpcStatus(stub_->Submit(&context, request, &response));
  }

  ScriptedService service_;
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<proto::Coordinator::Stub> stub_;
};

TEST_F(ChannelTest, LongFaultList_ArrivesWhole) {
  Start();
  std::string faults;
  for (int line = 1; line <= 400; ++line) {
    faults += "größe.textproto:" + std::to_string(line) + ": unknown field\n";
  }
  service_.answer = absl::InvalidArgumentError(faults);

  EXPECT_EQ(Submit({}), service_.answer);
}

TEST_F(ChannelTest, LongestStatus_Arrives) {
  Start();
  service_.answer = absl::InternalError(std::string(1 << 20, '\n'));

  EXPECT_THAT(Submit({}),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("more bytes)")));
}

TEST_F(ChannelTest, MessageAboveTheLimit_IsRefused) {
  Start();
  proto::SubmitRequest request;
  request.set_job_text(std::string(kMaxMessageBytes + 1, 'x'));

  EXPECT_THAT(Submit(request),
              StatusIs(absl::StatusCode::kResourceExhausted, ::testing::_));
}

TEST_F(ChannelTest, TextsThatAreNoUtf8_Arrive) {
  Start();
  proto::SubmitRequest request;
  request.set_job_text("name: \"\xff\"");

  EXPECT_OK(Submit(request));
}

TEST_F(ChannelTest, ManyPingsOnASilentStream_AreTolerated) {
  // gRPC pings once a second at most; the fourth early one would be too many.
  Start({.time = absl::Seconds(1), .timeout = absl::Seconds(10)});
  grpc::ClientContext context;
  context.set_deadline(After(absl::Milliseconds(5500)));
  const auto stream = stub_->Work(&context);
  proto::CoordinatorMessage message;

  EXPECT_FALSE(stream->Read(&message));

  // Not UNAVAILABLE with "too many pings".
  EXPECT_EQ(stream->Finish().error_code(), grpc::DEADLINE_EXCEEDED);
}

TEST_F(ChannelTest, ProxyOfTheEnvironment_IsNotUsed) {
  setenv("http_proxy", "http://192.0.2.1:3128", /*overwrite=*/1);
  Start();

  EXPECT_OK(Submit({}));

  unsetenv("http_proxy");
}

TEST_F(ChannelTest, PortOfAServer_IsNotSharedWithAnother) {
  Start();
  grpc::ServerBuilder builder;
  ConfigureServer(builder);
  int port = 0;
  builder.AddListeningPort(address_, grpc::InsecureServerCredentials(), &port);
  ScriptedService other;
  builder.RegisterService(&other);

  EXPECT_EQ(builder.BuildAndStart(), nullptr);
}

}  // namespace
}  // namespace meanfield::rpc

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "gtest/gtest.h"
#include "tests/support/manual_clock.h"
#include "tests/worker/runtime/worker_fixture.h"
#include "worker/runtime/worker.h"

namespace meanfield {
namespace {

using ::meanfield::testing::Gate;
using ::meanfield::testing::ManualClock;
using ::meanfield::testing::StatusIs;
using ::meanfield::testing::TimePasses;
using ::testing::AllOf;
using ::testing::HasSubstr;

class ReconnectTest : public testing::WorkerFixture {
 protected:
  void StartHeldWorker() {
    trainer_.on_step = [this](uint64_t, std::stop_token stop) {
      return gate_.Pass(stop);
    };
    StartWorker();
    Lease(1, TrainUnit());
    gate_.WaitUntilReached();
  }
  ManualClock clock_;
  Gate gate_;
};

TEST_F(ReconnectTest, SameProcess_ComesBackWithItsIncarnation) {
  StartWorker();
  Link(0);

  RestartServer();
  Link(1);

  const auto joined = sessions_.record().joined;
  EXPECT_EQ(joined.at(0).worker.incarnation, joined.at(1).worker.incarnation);
  EXPECT_EQ(joined.at(1).worker.name, "w");
}

// A socket that listens on a loopback port; 0 picks one.
int Listen(int& port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int reuse = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof(reuse));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(bind(listener, any, size), 0);
  EXPECT_EQ(listen(listener, 1), 0);
  EXPECT_EQ(getsockname(listener, any, &size), 0);
  port = ntohs(address.sin_port);
  return listener;
}

// Takes so many connections to the port and hangs up on each.
void HangUpOn(int port, int connections) {
  const int listener = Listen(port);
  for (int i = 0; i < connections; ++i) {
    close(accept(listener, nullptr, nullptr));
  }
  close(listener);
}

TEST_F(ReconnectTest, CoordinatorThatSaysNothing_IsGivenUp) {
  int port = 0;
  const int listener = Listen(port);
  address_ = "127.0.0.1:" + std::to_string(port);
  worker_clock_ = &clock_;
  StartWorker();
  const int connection = accept(listener, nullptr, nullptr);
  const TimePasses time(clock_);

  EXPECT_THAT(JoinWorker(), StatusIs(absl::StatusCode::kUnavailable,
                                     HasSubstr("no answer within 10s")));
  close(connection);
  close(listener);
}

TEST_F(ReconnectTest, CoordinatorThatWasAway_IsFoundAgain) {
  StartWorker();
  Link(0);
  const int port = server_->port();
  server_.reset();
  HangUpOn(port, 4);
  StartServer(address_);
  Link(1);
}

TEST_F(ReconnectTest, UnitGoesOnOverABrokenStream) {
  StartHeldWorker();

  RestartServer();
  Link(1);
  gate_.Open();

  EXPECT_EQ(WaitForResult().lease, 1u);
  EXPECT_EQ(trainer_.units, 1);
}

TEST_F(ReconnectTest, UnitLeasedAgain_IsNotComputedAgain) {
  StartHeldWorker();

  RestartServer();
  sessions_.DropLease(1);
  Lease(2, TrainUnit(), /*worker=*/1);
  gate_.Open();

  sessions_.Wait([](const auto& record) {
    return !record.results.empty() && record.results.back().lease == 2;
  });
  EXPECT_EQ(trainer_.units, 1);
}

TEST_F(ReconnectTest, ResultThatMayBeLost_IsOfferedAgain) {
  StartWorker();
  Lease(1, TrainUnit());
  WaitForResult(0);

  RestartServer();

  EXPECT_EQ(WaitForResult(1).lease, 1u);
  EXPECT_EQ(trainer_.units, 1);
}

TEST_F(ReconnectTest, OfferedResultOfAnUnknownLease_IsDropped) {
  StartWorker();
  Lease(1, TrainUnit(0));
  WaitForResult(0);
  sessions_.DropLease(1);

  RestartServer();
  Lease(2, TrainUnit(1), /*worker=*/1);

  EXPECT_EQ(WaitForResult(1).lease, 2u);
}

TEST_F(ReconnectTest, CoordinatorThatStaysAway_IsGivenUp) {
  worker_clock_ = &clock_;
  StartWorker(absl::Minutes(2));
  Link();

  server_.reset();
  const TimePasses time(clock_);

  EXPECT_THAT(
      JoinWorker(),
      StatusIs(absl::StatusCode::kUnavailable,
               AllOf(HasSubstr(address_), HasSubstr("was out of reach for "))));
}

TEST_F(ReconnectTest, GivingUp_StopsTheUnit) {
  worker_clock_ = &clock_;
  StartHeldWorker();

  server_.reset();
  const TimePasses time(clock_);

  EXPECT_EQ(JoinWorker().code(), absl::StatusCode::kUnavailable);
}

TEST_F(ReconnectTest, NobodyListens_IsGivenUp) {
  worker_clock_ = &clock_;
  server_.reset();
  StartWorker();
  const TimePasses time(clock_);

  EXPECT_EQ(JoinWorker().code(), absl::StatusCode::kUnavailable);
}

TEST_F(ReconnectTest, BrokenDownload_GoesOnWhereItEnded) {
  const proto::Unit unit = TrainUnit(0, /*model_floats=*/16 << 20);
  StartWorker();
  Lease(1, unit);
  sessions_.Wait([&](const auto& record) {
    return !record.reads.empty() && record.reads.back() == unit.model().id();
  });

  RestartServer();

  sessions_.Wait([](const auto& record) { return record.results.size() == 1; });
  EXPECT_EQ(trainer_.units, 1);
}

TEST_F(ReconnectTest, BrokenUpload_GoesOnWhereItEnded) {
  trainer_.output_floats = 16 << 20;
  StartWorker();
  Lease(1, TrainUnit());
  sessions_.WaitForUpload();

  RestartServer();

  const auto done = WaitForResult();
  EXPECT_EQ(
      std::filesystem::file_size(sessions_.SealedPath(done.result.output())),
      done.result.output().size());
  EXPECT_EQ(trainer_.units, 1);
}

}  // namespace
}  // namespace meanfield

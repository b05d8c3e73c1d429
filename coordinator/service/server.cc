#include "coordinator/service/server.h"

#include <utility>

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/rpc/address.h"
#include "common/time/real_clock.h"
#include "coordinator/service/call_environment.h"
#include "coordinator/service/coordinator_service.h"
#include "coordinator/service/periodic_alarm.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"

namespace meanfield::service {
namespace {

class GrpcServer : public Server {
 public:
  GrpcServer(driver::Runs& runs, driver::WorkerSessions& sessions,
             const Options& options)
      : own_clock_(options.clock == nullptr ? MakeRealClock() : nullptr),
        clock_(options.clock == nullptr ? *own_clock_ : *options.clock),
        drain_limit_(options.drain_limit),
        environment_{.runs = runs,
                     .sessions = sessions,
                     .clock = clock_,
                     .heartbeat = options.heartbeat,
                     .silence_limit = options.silence_limit} {}

  ~GrpcServer() override {
    if (server_ == nullptr) return;
    const absl::Status why = absl::UnavailableError(
        StrCat("the coordinator at ", address(), " goes down"));
    environment_.workers.Drain(why);
    environment_.transfers.Drain(why);
    // Cancels what is left at the deadline, and waits for it.
    server_->Shutdown(rpc::After(drain_limit_));
    server_.reset();
  }

  absl::Status Listen(const rpc::Address& address, const Options& options) {
    address_ = address;
    grpc::ServerBuilder builder;
    rpc::ConfigureServer(builder, options.keepalive);
    builder.AddListeningPort(rpc::ToString(address),
                             grpc::InsecureServerCredentials(), &address_.port);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr || address_.port == 0) {
      return rpc::WhyNotListening(address);
    }
    sweep_.emplace(clock_, options.silence_limit / 4, [this] {
      environment_.workers.Sweep(clock_.Now());
      environment_.transfers.Sweep(clock_.Now());
    });
    return absl::OkStatus();
  }

  void DismissWorkers(std::string_view reason) override {
    environment_.workers.Dismiss(reason);
    if (!environment_.workers.WaitUntilEmpty(clock_,
                                             clock_.Now() + drain_limit_)) {
      Log(LogLevel::kWarning, "workers_stay",
          {{"reason", "they did not leave when dismissed"}});
    }
  }

  int port() const override { return address_.port; }
  std::string address() const override { return rpc::ToString(address_); }

 private:
  // In order of construction; each uses those above it.
  std::unique_ptr<Clock> own_clock_;
  Clock& clock_;
  const absl::Duration drain_limit_;
  rpc::Address address_;
  CallEnvironment environment_;
  CoordinatorService service_{environment_};
  std::unique_ptr<grpc::Server> server_;
  std::optional<PeriodicAlarm> sweep_;
};

absl::Status CheckReach(const rpc::Address& address,
                        const Server::Options& options) {
  if (options.insecure || rpc::IsLoopback(address)) return absl::OkStatus();
  return absl::FailedPreconditionError(StrCat(
      "refused to listen on ", rpc::ToString(address),
      ": connections are not encrypted and workers not authenticated, so "
      "everybody who reaches this address could read and change the models. "
      "Listen on 127.0.0.1, or pass --insecure where the network is trusted"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Start(
    driver::Runs& runs, driver::WorkerSessions& sessions,
    const Options& options) {
  MEANFIELD_ASSIGN_OR_RETURN(const rpc::Address address,
                             rpc::ParseAddress(options.listen));
  MEANFIELD_RETURN_IF_ERROR(CheckReach(address, options));
  rpc::RouteGrpcLog();
  auto server = std::make_unique<GrpcServer>(runs, sessions, options);
  MEANFIELD_RETURN_IF_ERROR(server->Listen(address, options));
  return server;
}

}  // namespace meanfield::service

#ifndef MEANFIELD_COORDINATOR_SERVICE_SERVER_H_
#define MEANFIELD_COORDINATOR_SERVICE_SERVER_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/rpc/channel.h"
#include "common/time/clock.h"
#include "coordinator/driver/coordinator.h"
#include "coordinator/driver/runs.h"
#include "coordinator/driver/worker_sessions.h"

namespace meanfield::service {

// The gRPC face of a coordinator (coordinator.proto), callback API. Decodes,
// bounds and posts to the driver; decides nothing. gRPC's threads never wait:
// what may block runs on threads of its own.
//
// The destructor drains: streams end with UNAVAILABLE, which tells workers to
// come back (to the next coordinator of that address), what does not end within
// `drain_limit` is cut off, then the port closes. It must run before the
// coordinator's.
class Server {
 public:
  struct Options {
    // "127.0.0.1:0" picks a free port.
    std::string listen = "127.0.0.1:0";
    // Beyond loopback a plain-text server is refused unless this is set.
    bool insecure = false;
    absl::Duration heartbeat = absl::Seconds(1);
    // A stream silent for so long is dead; so is a transfer that stands still.
    absl::Duration silence_limit = absl::Seconds(15);
    absl::Duration drain_limit = absl::Seconds(3);
    rpc::Keepalive keepalive;
    Clock* clock = nullptr;  // null: one of its own; else outlives the server
  };
  // INVALID_ARGUMENT: not an address. FAILED_PRECONDITION: beyond loopback
  // without `insecure`. UNAVAILABLE names the address and the reason (in use,
  // no permission).
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      driver::Runs& runs, driver::WorkerSessions& sessions,
      const Options& options);
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      driver::Coordinator& coordinator, const Options& options) {
    return Start(coordinator, coordinator, options);
  }
  virtual ~Server() = default;

  // Sends every worker home (they exit with code 0), now and until the end of
  // this server, and waits for their streams to end, at most `drain_limit`.
  virtual void DismissWorkers(std::string_view reason) = 0;

  virtual int port() const = 0;
  virtual std::string address() const = 0;  // host:port to dial
};

}  // namespace meanfield::service

#endif  // MEANFIELD_COORDINATOR_SERVICE_SERVER_H_

#ifndef MEANFIELD_COORDINATOR_SERVICE_SERVER_H_
#define MEANFIELD_COORDINATOR_SERVICE_SERVER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace meanfield::driver {
class Coordinator;
}

namespace meanfield::service {

// The gRPC face of a coordinator (coordinator.proto), callback API. Decodes,
// bounds, checks tokens and posts to the driver; decides nothing. The handle's
// destructor drains: streams end, then the port closes.
class Server {
 public:
  struct Options {
    // "127.0.0.1:0" picks a free port.
    std::string listen = "127.0.0.1:0";
    // Beyond loopback a plain-text server is refused unless this is set.
    bool insecure = false;
    absl::Duration heartbeat = absl::Seconds(1);
    // A stream silent for so long is dead.
    absl::Duration silence_limit = absl::Seconds(15);
  };
  // UNAVAILABLE names the address and the reason (in use, no permission).
  static absl::StatusOr<std::unique_ptr<Server>> Start(
      driver::Coordinator& coordinator, const Options& options);
  virtual ~Server() = default;

  virtual int port() const = 0;
  virtual std::string address() const = 0;  // host:port to dial
};

}  // namespace meanfield::service

#endif  // MEANFIELD_COORDINATOR_SERVICE_SERVER_H_

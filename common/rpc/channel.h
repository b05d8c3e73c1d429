#ifndef MEANFIELD_COMMON_RPC_CHANNEL_H_
#define MEANFIELD_COMMON_RPC_CHANNEL_H_

#include <memory>
#include <string>

#include "absl/time/time.h"
#include "grpc/support/time.h"
#include "grpcpp/channel.h"
#include "grpcpp/server_builder.h"

namespace meanfield::rpc {

inline constexpr int kMaxMessageBytes = 4 << 20;

// How a dead peer is noticed where the network says nothing: pings while a
// call is open. Both ends use the same numbers, and the server tolerates pings
// twice as frequent, so that it never says "too many pings".
struct Keepalive {
  absl::Duration time = absl::Seconds(20);     // silence before a ping
  absl::Duration timeout = absl::Seconds(10);  // for its answer
};

// Plain text; connects in the background. No proxy of the environment is used:
// workers dial hosts of their own cluster.
std::shared_ptr<grpc::Channel> MakeChannel(const std::string& address,
                                           const Keepalive& keepalive = {});

// The same limits for a server; its port is never shared with another process.
void ConfigureServer(grpc::ServerBuilder& builder,
                     const Keepalive& keepalive = {});

// A deadline for gRPC, counted from now.
gpr_timespec After(absl::Duration duration);

// gRPC's own messages become lines of our log: errors as debug lines, as the
// status of the call says what matters; the rest is dropped. Once per process.
void RouteGrpcLog();

}  // namespace meanfield::rpc

#endif  // MEANFIELD_COMMON_RPC_CHANNEL_H_

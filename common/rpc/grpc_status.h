#ifndef MEANFIELD_COMMON_RPC_GRPC_STATUS_H_
#define MEANFIELD_COMMON_RPC_GRPC_STATUS_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "grpcpp/support/status.h"

namespace meanfield::rpc {

// The code survives; gRPC's and Abseil's are the same numbers. A status travels
// in the headers of HTTP/2, which are bounded: a message whose encoded form
// would be larger than kMaxStatusBytes ends early and says so.
inline constexpr size_t kMaxStatusBytes = size_t{64} << 10;
grpc::Status ToGrpcStatus(const absl::Status& status);
absl::Status FromGrpcStatus(const grpc::Status& status);

// As much of `text` as fits into `max_bytes`, as valid UTF-8: what is not
// becomes '?'. For `string` fields, whose receiver refuses other bytes.
std::string Utf8Prefix(std::string_view text, size_t max_bytes);

}  // namespace meanfield::rpc

#endif  // MEANFIELD_COMMON_RPC_GRPC_STATUS_H_

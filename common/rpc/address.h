#ifndef MEANFIELD_COMMON_RPC_ADDRESS_H_
#define MEANFIELD_COMMON_RPC_ADDRESS_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace meanfield::rpc {

// "host:port"; an IPv6 host stands in brackets, here and in ToString.
struct Address {
  std::string host;  // without brackets
  int port = 0;      // 0 … 65535

  friend bool operator==(const Address&, const Address&) = default;
};

// INVALID_ARGUMENT says what is missing or wrong.
absl::StatusOr<Address> ParseAddress(std::string_view text);
std::string ToString(const Address& address);

// 127.0.0.0/8, ::1 or "localhost": nobody on another machine reaches it.
bool IsLoopback(const Address& address);

// Why a server could not listen there, found by trying: UNAVAILABLE names
// address and reason (in use, no permission, not an address of this machine).
absl::Status WhyNotListening(const Address& address);

}  // namespace meanfield::rpc

#endif  // MEANFIELD_COMMON_RPC_ADDRESS_H_

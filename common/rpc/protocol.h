#ifndef MEANFIELD_COMMON_RPC_PROTOCOL_H_
#define MEANFIELD_COMMON_RPC_PROTOCOL_H_

#include <cstddef>
#include <cstdint>

namespace meanfield::rpc {

// Raised when a worker and a coordinator of different builds would
// misunderstand each other; they then refuse to work together.
inline constexpr uint32_t kProtocolVersion = 1;

// The longest texts that a worker may send about itself and its failures.
inline constexpr size_t kMaxNameBytes = 1 << 10;
inline constexpr size_t kMaxFailureBytes = 16 << 10;

}  // namespace meanfield::rpc

#endif  // MEANFIELD_COMMON_RPC_PROTOCOL_H_

#ifndef MEANFIELD_COORDINATOR_DRIVER_IDLE_SHARE_H_
#define MEANFIELD_COORDINATOR_DRIVER_IDLE_SHARE_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace meanfield::driver {

// Says how much of the workers' time a round of K equal shards leaves idle, and
// which K would not; empty where none is.
std::string IdleShareNote(uint32_t shards, size_t workers);

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_IDLE_SHARE_H_

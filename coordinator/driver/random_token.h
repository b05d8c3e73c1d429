#ifndef MEANFIELD_COORDINATOR_DRIVER_RANDOM_TOKEN_H_
#define MEANFIELD_COORDINATOR_DRIVER_RANDOM_TOKEN_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace meanfield::driver {

// From the system's generator: for names that must not be guessed or met again.
// Nothing that a model depends on may come from here.
uint64_t RandomBits();
// `digits` lower-case hex digits.
std::string RandomToken(size_t digits);

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_RANDOM_TOKEN_H_

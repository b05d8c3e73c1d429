#include "coordinator/driver/random_token.h"

#include <sys/random.h>

#include "absl/strings/str_format.h"
#include "common/base/check.h"

namespace meanfield::driver {

uint64_t RandomBits() {
  uint64_t bits = 0;
  // Requests of up to 256 bytes are never short or interrupted.
  const ssize_t got = getrandom(&bits, sizeof(bits), /*flags=*/0);
  MEANFIELD_CHECK(got == sizeof(bits), "getrandom failed");
  return bits;
}

std::string RandomToken(size_t digits) {
  std::string token;
  while (token.size() < digits) token += absl::StrFormat("%016x", RandomBits());
  token.resize(digits);
  return token;
}

}  // namespace meanfield::driver

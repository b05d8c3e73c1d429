#include "common/base/random.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/base/check.h"

namespace meanfield {
namespace {

constexpr uint64_t kGoldenGamma = 0x9e3779b97f4a7c15;

uint64_t Finalize(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

uint64_t Absorb(uint64_t hash, uint64_t value) {
  return Finalize((hash ^ value) + kGoldenGamma);
}

// Length, then 8 bytes at a time, little-endian, the last ones padded with 0.
uint64_t Absorb(uint64_t hash, std::string_view text) {
  hash = Absorb(hash, uint64_t{text.size()});
  for (size_t begin = 0; begin < text.size(); begin += 8) {
    const std::string_view part = text.substr(begin, 8);
    uint64_t word = 0;
    for (size_t i = 0; i < part.size(); ++i) {
      word |= uint64_t{static_cast<unsigned char>(part[i])} << (8 * i);
    }
    hash = Absorb(hash, word);
  }
  return hash;
}

}  // namespace

uint64_t DeriveSeed(const SeedKey& key) {
  uint64_t hash = Absorb(0, key.job_seed);
  hash = Absorb(hash, key.round);
  hash = Absorb(hash, key.task);
  hash = Absorb(hash, key.shard);
  return Absorb(hash, key.purpose);
}

uint64_t CounterRng::operator()() {
  state_ += kGoldenGamma;
  return Finalize(state_);
}

uint64_t CounterRng::Below(uint64_t bound) {
  MEANFIELD_CHECK(bound > 0, "no number is below 0");
  // The lowest 2^64 mod bound values would make small remainders likelier.
  const uint64_t rejected = (0 - bound) % bound;
  uint64_t value;
  do {
    value = (*this)();
  } while (value < rejected);
  return value % bound;
}

}  // namespace meanfield

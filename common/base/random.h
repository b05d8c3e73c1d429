#ifndef MEANFIELD_COMMON_BASE_RANDOM_H_
#define MEANFIELD_COMMON_BASE_RANDOM_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

namespace meanfield {

// What a random choice is keyed by. Never paths, names of files or limits: two
// jobs that differ only in the server optimizer must see the same batches.
struct SeedKey {
  uint64_t job_seed = 0;
  uint64_t round = 0;
  std::string_view task;
  uint64_t shard = 0;
  std::string_view purpose;  // "init", "shuffle", "order", "train", ...
};

// A 64-bit seed: SplitMix64 finalisers over the fields in order; strings enter
// with their length. The values are part of the contract (tests pin them).
uint64_t DeriveSeed(const SeedKey& key);

// Counter-based generator: value i = 1, 2, … is SplitMix64's finaliser of
// seed + i·φ, the published SplitMix64 sequence.
// The same sequence on every machine; a UniformRandomBitGenerator.
class CounterRng {
 public:
  using result_type = uint64_t;
  explicit CounterRng(uint64_t seed) : state_(seed) {}
  static constexpr uint64_t min() { return 0; }
  static constexpr uint64_t max() {
    return std::numeric_limits<uint64_t>::max();
  }
  uint64_t operator()();
  // Uniform in [0, bound), bound > 0, by rejection (no modulo bias).
  uint64_t Below(uint64_t bound);

 private:
  uint64_t state_;
};

// Fisher–Yates from the back; std::shuffle's order is unspecified.
template <typename T, size_t extent>
void Shuffle(std::span<T, extent> items, CounterRng& rng) {
  for (size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[rng.Below(i)]);
  }
}

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_BASE_RANDOM_H_

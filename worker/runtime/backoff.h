#ifndef MEANFIELD_WORKER_RUNTIME_BACKOFF_H_
#define MEANFIELD_WORKER_RUNTIME_BACKOFF_H_

#include <cstdint>

#include "absl/time/time.h"
#include "common/base/random.h"

namespace meanfield {

// Pauses between tries: from 50 ms, doubling to 2 s, each shortened by up to
// half at random, so that many workers do not come back in step.
class Backoff {
 public:
  explicit Backoff(uint64_t seed) : rng_(seed) {}
  absl::Duration Next();
  void Reset() { pause_ms_ = kFirstMs; }

 private:
  static constexpr uint64_t kFirstMs = 50;
  static constexpr uint64_t kLongestMs = 2000;
  CounterRng rng_;
  uint64_t pause_ms_ = kFirstMs;
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_RUNTIME_BACKOFF_H_

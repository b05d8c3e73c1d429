#include "worker/runtime/backoff.h"

#include <algorithm>

namespace meanfield {

absl::Duration Backoff::Next() {
  const uint64_t pause = pause_ms_ - rng_.Below(pause_ms_ / 2);
  pause_ms_ = std::min(2 * pause_ms_, kLongestMs);
  return absl::Milliseconds(pause);
}

}  // namespace meanfield

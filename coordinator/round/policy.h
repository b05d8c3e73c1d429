#ifndef MEANFIELD_COORDINATOR_ROUND_POLICY_H_
#define MEANFIELD_COORDINATOR_ROUND_POLICY_H_

#include "absl/time/time.h"

namespace meanfield::round {

// How long a Round waits, and how often it tries.
struct Policy {
  // A lease lapses when its step count has not risen for so long …
  absl::Duration step_limit = absl::Seconds(60);
  // … or, before its first step (model load, first batch), for so long.
  absl::Duration first_step_limit = absl::Minutes(5);
  // A unit waits and no worker is there that could take it, now or after its
  // present unit: after so long the round is abandoned with UNAVAILABLE.
  absl::Duration starvation_limit = absl::Seconds(60);
  // A unit that failed, lapsed or was rejected so often ends the round with the
  // last reason.
  int max_attempts = 4;
  // Losing a worker is not the unit's fault, unless it happens again and again.
  int max_losses = 12;
};

}  // namespace meanfield::round

#endif  // MEANFIELD_COORDINATOR_ROUND_POLICY_H_

#ifndef MEANFIELD_COORDINATOR_ROUND_EFFECTS_H_
#define MEANFIELD_COORDINATOR_ROUND_EFFECTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "proto/plan.pb.h"

namespace meanfield::round {

// What a Round asks for; carried out by the driver in order.
struct Assign {
  uint64_t lease = 0;
  std::string worker;
  size_t unit = 0;  // index into the units given
};
// The worker still has to answer (a failure, or a result that was on its way)
// before it gets another unit.
struct CancelLease {
  uint64_t lease = 0;
  std::string worker;
  std::string reason;
};
// Take this result in (check, fold or score it), then call OnAccepted or
// OnRejected. At most one of a unit is open at a time.
struct Ingest {
  uint64_t lease = 0;
  std::string worker;
  size_t unit = 0;
  proto::UnitResult result;
};
// A result that changes nothing: delete the file of this lease.
struct Discard {
  uint64_t lease = 0;
  std::string worker;  // empty where the lease is not of this round
  // "duplicate": equals the accepted result. "mismatch": differs from it, which
  // breaks determinism: log both workers. "stale": of an earlier round, or its
  // lease already reported. "cancelled": the round was abandoned.
  std::string reason;
  std::string accepted_worker;  // duplicate, mismatch: whose result counts
  proto::UnitResult result;
};
struct Complete {};  // every unit is in; terminal
struct Abandon {     // terminal
  absl::Status reason;
};
// Call OnAlarm at this time (replaces an earlier one). May turn out to be too
// early, then OnAlarm only asks for a later one.
struct WakeAt {
  absl::Time time;
};
using Effect = std::variant<Assign, CancelLease, Ingest, Discard, Complete,
                            Abandon, WakeAt>;
using Effects = std::vector<Effect>;

}  // namespace meanfield::round

#endif  // MEANFIELD_COORDINATOR_ROUND_EFFECTS_H_

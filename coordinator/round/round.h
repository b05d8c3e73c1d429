#ifndef MEANFIELD_COORDINATOR_ROUND_ROUND_H_
#define MEANFIELD_COORDINATOR_ROUND_ROUND_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
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
// A result that changes nothing: delete its file.
struct Discard {
  uint64_t lease = 0;
  std::string reason;  // "duplicate", "mismatch", "stale", …
  proto::UnitResult result;
};
struct Complete {};  // every unit is in; terminal
struct Abandon {     // terminal
  absl::Status reason;
};
// Call OnAlarm at this time (replaces an earlier one).
struct WakeAt {
  absl::Time time;
};
using Effect = std::variant<Assign, CancelLease, Ingest, Discard, Complete,
                            Abandon, WakeAt>;
using Effects = std::vector<Effect>;

struct Policy {
  // A lease lapses when its step count has not risen for so long …
  absl::Duration step_limit = absl::Seconds(60);
  // … or, before its first step (model load, first batch), for so long.
  absl::Duration first_step_limit = absl::Minutes(5);
  // Without any eligible worker for so long, the round is abandoned with
  // UNAVAILABLE.
  absl::Duration starvation_limit = absl::Seconds(60);
  // A unit that failed or lapsed so often ends the round with the last reason.
  int max_attempts = 4;
};

struct UnitRequest {
  proto::UnitKey key;
  std::string preferred_worker;  // held this shard last; may be empty
};

// The units of one phase (INIT; TRAIN of a round; EVALUATE; PREDICT) from first
// lease to last result. A pure state machine: events in, effects out; time
// comes in as an argument, nothing else is touched.
//
//   unit:  kWaiting -> kLeased -> kIngesting -> kDone
//             ^           |           |
//             +-----------+-----------+   lapse, loss, failure, rejection
//
//   round: kOpen -> kComplete | kAbandoned
//
// One thread. Events after the end are answered with Discard or nothing.
class Round {
 public:
  Round(std::vector<UnitRequest> units, Policy policy, uint64_t first_lease);

  // Starts: assigns to the workers present (name -> since when idle is not
  // kept; order of names decides).
  Effects Start(const std::set<std::string>& workers, absl::Time now);

  Effects OnWorkerJoined(const std::string& worker, absl::Time now);
  Effects OnWorkerLost(const std::string& worker, const std::string& why,
                       absl::Time now);
  // Only a rising step count renews the lease.
  Effects OnProgress(uint64_t lease, uint64_t steps_done, absl::Time now);
  Effects OnResult(uint64_t lease, const proto::UnitResult& result,
                   absl::Time now);
  Effects OnFailure(uint64_t lease, const absl::Status& status, absl::Time now);
  Effects OnAccepted(uint64_t lease, absl::Time now);
  // A content rejection (nan, exploded, shape, …): retried once, on another
  // worker if there is one; the same update hash twice abandons the round with
  // ABORTED "diverged".
  Effects OnRejected(uint64_t lease, const std::string& reason, absl::Time now);
  Effects OnAlarm(absl::Time now);
  Effects Cancel(const absl::Status& reason, absl::Time now);

  bool ended() const;
  uint64_t next_lease() const { return next_lease_; }
  // Which unit a live lease holds.
  std::optional<size_t> UnitOf(uint64_t lease) const;
  size_t units_done() const;

 private:
  enum class UnitState { kWaiting, kLeased, kIngesting, kDone };
  struct UnitEntry {
    UnitRequest request;
    UnitState state = UnitState::kWaiting;
    uint64_t lease = 0;  // live one, or the one that was accepted
    std::string accepted_hash;
    std::string rejected_hash;
    std::string avoid_worker;
    int attempts = 0;
    absl::Status last_failure;
  };
  struct LeaseEntry {
    size_t unit = 0;
    std::string worker;
    uint64_t steps_done = 0;
    absl::Time deadline;
  };
  enum class RoundState { kOpen, kComplete, kAbandoned };

  std::vector<UnitEntry> units_;
  const Policy policy_;
  uint64_t next_lease_;
  RoundState state_ = RoundState::kOpen;
  std::map<uint64_t, LeaseEntry> leases_;
  std::set<std::string> workers_;  // connected and eligible
  std::optional<absl::Time> starved_since_;
};

}  // namespace meanfield::round

#endif  // MEANFIELD_COORDINATOR_ROUND_ROUND_H_

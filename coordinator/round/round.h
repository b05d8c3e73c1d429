#ifndef MEANFIELD_COORDINATOR_ROUND_ROUND_H_
#define MEANFIELD_COORDINATOR_ROUND_ROUND_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "coordinator/round/effects.h"
#include "coordinator/round/policy.h"
#include "proto/plan.pb.h"

namespace meanfield::round {

struct UnitRequest {
  proto::UnitKey key;
  std::string preferred_worker;  // held this shard last; may be empty
};

// Leases that their workers, still connected, have not reported on: lease ->
// worker.
using UnsettledLeases = std::map<uint64_t, std::string>;

// The units of one phase (INIT; TRAIN of a round; EVALUATE; PREDICT) from first
// lease to last result. A pure state machine: events in, effects out; time
// comes in as an argument, nothing else is touched. Equal events give equal
// effects: units are served by index, workers by name.
//
//   unit:  kWaiting -> kLeased -> kIngesting -> kDone
//             ^           |           |
//             +-----------+-----------+   lapse, loss, failure, rejection
//
//   round: kOpen -> kComplete | kAbandoned
//
// A worker has one lease at a time, until it reports on it. A lapsed lease
// stays open for a late result: the first result of a unit that is accepted
// counts, whichever lease it came by, and the other leases are cancelled. After
// a lapse or a cancellation the worker gets nothing before it has reported; if
// a lapsed worker does a step while its unit still waits, it has its lease
// back.
//
// One thread. Events after the end are answered with Discard or nothing.
class Round {
 public:
  // Lease ids count up from first_lease. `unsettled` comes from the Round
  // before: those workers get nothing until they report or are lost.
  Round(std::vector<UnitRequest> units, Policy policy, uint64_t first_lease,
        UnsettledLeases unsettled = {});

  // First event: assigns to the workers present.
  Effects Start(const std::set<std::string>& workers, absl::Time now);

  // A name that is present already: a new process took its place.
  Effects OnWorkerJoined(const std::string& worker, absl::Time now);
  Effects OnWorkerLost(const std::string& worker, const std::string& why,
                       absl::Time now);
  // Only a rising step count renews the lease.
  Effects OnProgress(uint64_t lease, uint64_t steps_done, absl::Time now);
  // Also of a lease that lapsed or whose worker was lost. A lease's first
  // result counts: while that one is in use, another has no effect.
  Effects OnResult(uint64_t lease, const proto::UnitResult& result,
                   absl::Time now);
  // Retried up to max_attempts, elsewhere if there is another worker; ABORTED
  // (diverged) and INVALID_ARGUMENT (our blobs do not fit) once.
  Effects OnFailure(uint64_t lease, const absl::Status& status, absl::Time now);
  Effects OnAccepted(uint64_t lease, absl::Time now);
  // A content rejection (nan, exploded, shape, …): retried on another worker if
  // there is one; the same update hash twice abandons the round with ABORTED
  // "diverged".
  Effects OnRejected(uint64_t lease, const std::string& reason, absl::Time now);
  Effects OnAlarm(absl::Time now);
  Effects Cancel(const absl::Status& reason, absl::Time now);

  bool ended() const { return state_ != RoundState::kOpen; }
  uint64_t next_lease() const { return next_lease_; }
  // Which unit a lease is for whose result would still be taken (live, lapsed,
  // or its worker lost); absent for all others.
  std::optional<size_t> UnitOf(uint64_t lease) const;
  // The unit of the worker's live lease.
  std::optional<size_t> HeldBy(const std::string& worker) const;
  size_t units_done() const;
  UnsettledLeases Unsettled() const;

 private:
  enum class RoundState { kOpen, kComplete, kAbandoned };
  enum class UnitState { kWaiting, kLeased, kIngesting, kDone };
  enum class LeaseState {
    kLive,
    kLapsed,     // no step within its limit
    kCancelled,  // told to stop, has not answered
    kLost,       // its worker is gone
    kReported,   // result or failure came
  };
  struct Report {
    uint64_t lease = 0;
    std::string worker;
    proto::UnitResult result;
  };
  struct UnitEntry {
    UnitRequest request;
    UnitState state = UnitState::kWaiting;
    std::optional<uint64_t> live;  // its live lease
    std::vector<uint64_t> leases;  // all it ever had
    // kIngesting: front is open, others wait for its fate. kDone: the accepted.
    std::deque<Report> reports;
    std::map<std::string, std::string> rejected;  // hash -> worker
    bool repeated_hash = false;                   // one of them came twice
    std::string avoid_worker;
    int failures = 0;  // with lapses and rejections
    int aborted = 0;
    int invalid = 0;
    int losses = 0;
    absl::Status last_failure;
  };
  struct LeaseEntry {
    std::optional<size_t> unit;  // absent: of an earlier round
    std::string worker;
    LeaseState state = LeaseState::kLive;
    uint64_t steps_done = 0;
    absl::Time deadline;  // kLive
  };
  // worker -> the lease that it has not reported on
  using Workers = std::map<std::string, std::optional<uint64_t>>;

  // ---- round.cc
  static void Move(UnitEntry& unit, UnitState to);
  void MarkReported(uint64_t id, LeaseEntry& lease);
  void Lose(const std::string& worker, const std::string& why);
  void OpenFrontReport(size_t index);
  static void CountFailure(UnitEntry& unit, const std::string& worker,
                           const absl::Status& status);
  // The unit has lost its live lease or its open result: on to the next one.
  void Reopen(size_t index);
  void CancelLeases(const UnitEntry& unit, const std::string& reason);
  // `report` changes nothing; `unit` is absent where it is of an earlier round.
  void DiscardReport(const Report& report, const UnitEntry* unit);
  void End(RoundState state, const absl::Status& reason);

  // ---- round_assignment.cc
  // What every event ends with: assignments, starvation, the next alarm.
  Effects Settle(absl::Time now);
  void AssignWaiting(absl::Time now);
  void AssignTo(size_t index, const std::string& worker, absl::Time now);
  // Lease may go on: it becomes the unit's live one.
  void Reinstate(uint64_t id, LeaseEntry& lease);
  void LapseOverdue(absl::Time now);
  bool IsIdle(const std::string& worker) const;
  // Idle, or busy with a live lease.
  bool IsUsable(const std::string& worker) const;
  bool HasUsableBeside(const std::string& worker) const;
  void WatchStarvation(absl::Time now);
  void ArmAlarm();

  // ---- round_text.cc
  absl::Status LapseReason(const LeaseEntry& lease) const;
  absl::Status HopelessReason(const UnitEntry& unit) const;  // OK: try again
  absl::Status StarvationReason() const;

  const Policy policy_;
  std::vector<UnitEntry> units_;
  uint64_t next_lease_;
  RoundState state_ = RoundState::kOpen;
  std::map<uint64_t, LeaseEntry> leases_;
  Workers workers_;                        // connected and eligible
  std::deque<std::string> recent_losses_;  // for messages
  std::optional<absl::Time> starved_since_;
  std::optional<absl::Time> armed_;
  Effects effects_;  // of the event under way
};

}  // namespace meanfield::round

#endif  // MEANFIELD_COORDINATOR_ROUND_ROUND_H_

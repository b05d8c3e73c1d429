#include "coordinator/round/round.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"

namespace meanfield::round {

namespace {

constexpr size_t kLossesRemembered = 5;

}  // namespace

Round::Round(std::vector<UnitRequest> units, Policy policy,
             uint64_t first_lease, UnsettledLeases unsettled)
    : policy_(policy), next_lease_(first_lease) {
  for (UnitRequest& request : units) {
    units_.emplace_back().request = std::move(request);
  }
  for (auto& [lease, worker] : unsettled) {
    MEANFIELD_CHECK(lease < first_lease, "lease ids must count up");
    leases_[lease] = {.unit = std::nullopt,
                      .worker = worker,
                      .state = LeaseState::kCancelled};
  }
}

Effects Round::Start(const std::set<std::string>& workers, absl::Time now) {
  MEANFIELD_CHECK(workers_.empty() && !ended(), "Start is the first event");
  for (const std::string& worker : workers) workers_[worker] = std::nullopt;
  for (auto& [id, lease] : leases_) {
    const auto worker = workers_.find(lease.worker);
    if (worker != workers_.end()) worker->second = id;
  }
  if (units_.empty()) End(RoundState::kComplete, absl::OkStatus());
  return Settle(now);
}

Effects Round::OnWorkerJoined(const std::string& worker, absl::Time now) {
  if (workers_.contains(worker)) {
    Lose(worker, "a new process of the same name took its place");
  }
  workers_[worker] = std::nullopt;
  return Settle(now);
}

Effects Round::OnWorkerLost(const std::string& worker, const std::string& why,
                            absl::Time now) {
  if (workers_.contains(worker)) Lose(worker, why);
  return Settle(now);
}

Effects Round::OnProgress(uint64_t lease, uint64_t steps_done, absl::Time now) {
  const auto it = leases_.find(lease);
  if (it == leases_.end() || !it->second.unit.has_value()) return {};
  LeaseEntry& entry = it->second;
  if (steps_done <= entry.steps_done) return {};
  entry.steps_done = steps_done;
  if (entry.state == LeaseState::kLive) {
    entry.deadline = now + policy_.step_limit;
  } else if (entry.state == LeaseState::kLapsed && !ended() &&
             units_[*entry.unit].state == UnitState::kWaiting) {
    entry.deadline = now + policy_.step_limit;
    Reinstate(lease, entry);
  }
  return Settle(now);
}

Effects Round::OnResult(uint64_t lease, const proto::UnitResult& result,
                        absl::Time now) {
  const auto it = leases_.find(lease);
  if (it == leases_.end() || !it->second.unit.has_value()) {
    if (it != leases_.end()) MarkReported(lease, it->second);
    DiscardReport({.lease = lease, .result = result}, nullptr);
    return Settle(now);
  }
  LeaseEntry& entry = it->second;
  UnitEntry& unit = units_[*entry.unit];
  const Report report{.lease = lease, .worker = entry.worker, .result = result};
  const bool in_use = std::any_of(
      unit.reports.begin(), unit.reports.end(),
      [lease](const Report& known) { return known.lease == lease; });
  if (in_use) return {};
  const bool repeated = entry.state == LeaseState::kReported;
  if (entry.state == LeaseState::kLapsed) --unit.failures;
  MarkReported(lease, entry);
  if (repeated || ended() || unit.state == UnitState::kDone) {
    DiscardReport(report, &unit);
    return Settle(now);
  }
  unit.reports.push_back(report);
  if (unit.state != UnitState::kIngesting) OpenFrontReport(*entry.unit);
  return Settle(now);
}

Effects Round::OnFailure(uint64_t lease, const absl::Status& status,
                         absl::Time now) {
  const auto it = leases_.find(lease);
  if (it == leases_.end() || it->second.state == LeaseState::kReported) {
    return {};
  }
  LeaseEntry& entry = it->second;
  const LeaseState before = entry.state;
  const bool was_live = before == LeaseState::kLive;
  MarkReported(lease, entry);
  if (!ended() && (was_live || before == LeaseState::kLapsed)) {
    UnitEntry& unit = units_[*entry.unit];
    if (!was_live) --unit.failures;  // the lapse; now its cause is known
    CountFailure(unit, entry.worker, status);
    Reopen(*entry.unit);
  }
  return Settle(now);
}

Effects Round::OnAccepted(uint64_t lease, absl::Time now) {
  if (ended()) return {};
  const auto it = leases_.find(lease);
  MEANFIELD_CHECK(it != leases_.end() && it->second.unit.has_value(),
                  "accepted a lease that is not of this round");
  UnitEntry& unit = units_[*it->second.unit];
  MEANFIELD_CHECK(unit.state == UnitState::kIngesting &&
                      unit.reports.front().lease == lease,
                  "accepted a result that is not open");
  Move(unit, UnitState::kDone);
  unit.live.reset();
  CancelLeases(unit, "another worker's result was accepted");
  for (size_t i = 1; i < unit.reports.size(); ++i) {
    DiscardReport(unit.reports[i], &unit);
  }
  unit.reports.resize(1);
  if (units_done() == units_.size()) {
    End(RoundState::kComplete, absl::OkStatus());
  }
  return Settle(now);
}

Effects Round::OnRejected(uint64_t lease, const std::string& reason,
                          absl::Time now) {
  if (ended()) return {};
  const auto it = leases_.find(lease);
  MEANFIELD_CHECK(it != leases_.end() && it->second.unit.has_value(),
                  "rejected a lease that is not of this round");
  UnitEntry& unit = units_[*it->second.unit];
  MEANFIELD_CHECK(unit.state == UnitState::kIngesting &&
                      unit.reports.front().lease == lease,
                  "rejected a result that is not open");
  const Report report = std::move(unit.reports.front());
  unit.reports.pop_front();
  CountFailure(
      unit, report.worker,
      absl::DataLossError(absl::StrCat("its result was rejected: ", reason)));
  const std::string& hash = report.result.output().id();
  const bool first = unit.rejected.emplace(hash, report.worker).second;
  unit.repeated_hash = !first && !hash.empty();
  if (unit.repeated_hash) {
    End(RoundState::kAbandoned, HopelessReason(unit));
  } else if (!unit.reports.empty()) {
    OpenFrontReport(*it->second.unit);
  } else {
    Reopen(*it->second.unit);
  }
  return Settle(now);
}

Effects Round::OnAlarm(absl::Time now) {
  if (armed_.has_value() && now >= *armed_) armed_.reset();
  LapseOverdue(now);
  return Settle(now);
}

Effects Round::Cancel(const absl::Status& reason, absl::Time now) {
  if (!ended()) End(RoundState::kAbandoned, reason);
  return Settle(now);
}

std::optional<size_t> Round::UnitOf(uint64_t lease) const {
  const auto it = leases_.find(lease);
  if (ended() || it == leases_.end()) return std::nullopt;
  const auto& [unit, worker, state, steps, deadline] = it->second;
  const bool open = state == LeaseState::kLive ||
                    state == LeaseState::kLapsed || state == LeaseState::kLost;
  if (!open || units_[*unit].state == UnitState::kDone) return std::nullopt;
  return unit;
}

std::optional<size_t> Round::HeldBy(const std::string& worker) const {
  const auto it = workers_.find(worker);
  if (it == workers_.end() || !it->second.has_value()) return std::nullopt;
  const LeaseEntry& lease = leases_.at(*it->second);
  return lease.state == LeaseState::kLive ? lease.unit : std::nullopt;
}

size_t Round::units_done() const {
  return std::count_if(units_.begin(), units_.end(), [](const UnitEntry& unit) {
    return unit.state == UnitState::kDone;
  });
}

UnsettledLeases Round::Unsettled() const {
  UnsettledLeases unsettled;
  for (const auto& [worker, lease] : workers_) {
    if (lease.has_value()) unsettled[*lease] = worker;
  }
  return unsettled;
}

void Round::Move(UnitEntry& unit, UnitState to) {
  using enum UnitState;
  const UnitState from = unit.state;
  const bool allowed =
      (from == kWaiting && (to == kLeased || to == kIngesting)) ||
      (from == kLeased && (to == kWaiting || to == kIngesting)) ||
      (from == kIngesting && to != kIngesting);
  MEANFIELD_CHECK(allowed, absl::StrCat("unit: ", static_cast<int>(from),
                                        " -> ", static_cast<int>(to)));
  unit.state = to;
}

void Round::MarkReported(uint64_t id, LeaseEntry& lease) {
  lease.state = LeaseState::kReported;
  const auto worker = workers_.find(lease.worker);
  if (worker != workers_.end() && worker->second == id) worker->second.reset();
  if (lease.unit.has_value() && units_[*lease.unit].live == id) {
    units_[*lease.unit].live.reset();
  }
}

void Round::Lose(const std::string& worker, const std::string& why) {
  recent_losses_.push_back(absl::StrCat("\"", worker, "\" (", why, ")"));
  if (recent_losses_.size() > kLossesRemembered) recent_losses_.pop_front();
  const std::optional<uint64_t> id = workers_.at(worker);
  workers_.erase(worker);
  if (!id.has_value()) return;
  LeaseEntry& lease = leases_.at(*id);
  const bool was_live = lease.state == LeaseState::kLive;
  lease.state = LeaseState::kLost;
  if (!was_live || ended()) return;
  UnitEntry& unit = units_[*lease.unit];
  unit.live.reset();
  ++unit.losses;
  unit.last_failure = absl::UnavailableError(
      absl::StrCat("worker \"", worker, "\" was lost: ", why));
  Reopen(*lease.unit);
}

void Round::OpenFrontReport(size_t index) {
  UnitEntry& unit = units_[index];
  if (unit.state != UnitState::kIngesting) Move(unit, UnitState::kIngesting);
  const Report& report = unit.reports.front();
  effects_.push_back(Ingest{report.lease, report.worker, index, report.result});
}

void Round::CountFailure(UnitEntry& unit, const std::string& worker,
                         const absl::Status& status) {
  ++unit.failures;
  if (status.code() == absl::StatusCode::kAborted) ++unit.aborted;
  if (status.code() == absl::StatusCode::kInvalidArgument) ++unit.invalid;
  unit.avoid_worker = worker;
  unit.last_failure =
      absl::Status(status.ok() ? absl::StatusCode::kUnknown : status.code(),
                   absl::StrCat("worker \"", worker, "\": ", status.message()));
}

void Round::Reopen(size_t index) {
  UnitEntry& unit = units_[index];
  if (!unit.reports.empty()) return;  // an open result decides first
  if (unit.live.has_value()) {
    if (unit.state != UnitState::kLeased) Move(unit, UnitState::kLeased);
    return;
  }
  const absl::Status hopeless = HopelessReason(unit);
  if (!hopeless.ok()) {
    End(RoundState::kAbandoned, hopeless);
  } else if (unit.state != UnitState::kWaiting) {
    Move(unit, UnitState::kWaiting);
  }
}

void Round::CancelLeases(const UnitEntry& unit, const std::string& reason) {
  for (const uint64_t id : unit.leases) {
    LeaseEntry& lease = leases_.at(id);
    if (lease.state != LeaseState::kLive && lease.state != LeaseState::kLapsed)
      continue;
    lease.state = LeaseState::kCancelled;
    effects_.push_back(CancelLease{id, lease.worker, reason});
  }
}

void Round::DiscardReport(const Report& report, const UnitEntry* unit) {
  Discard discard{.lease = report.lease,
                  .worker = report.worker,
                  .reason = "stale",
                  .result = report.result};
  if (unit != nullptr && unit->state == UnitState::kDone) {
    const Report& accepted = unit->reports.front();
    const bool equal =
        accepted.result.output().id() == report.result.output().id();
    discard.reason = equal ? "duplicate" : "mismatch";
    discard.accepted_worker = accepted.worker;
  } else if (unit != nullptr && state_ == RoundState::kAbandoned) {
    discard.reason = "cancelled";
  }
  effects_.push_back(std::move(discard));
}

void Round::End(RoundState state, const absl::Status& reason) {
  MEANFIELD_CHECK(!ended(), "a round ends once");
  state_ = state;
  for (UnitEntry& unit : units_) {
    unit.live.reset();
    CancelLeases(unit, std::string(reason.message()));
    if (unit.state != UnitState::kIngesting) continue;
    for (size_t i = 1; i < unit.reports.size(); ++i) {
      DiscardReport(unit.reports[i], &unit);
    }
    unit.reports.resize(std::min<size_t>(unit.reports.size(), 1));
  }
  if (state == RoundState::kComplete) {
    effects_.push_back(Complete{});
  } else {
    effects_.push_back(Abandon{reason});
  }
}

}  // namespace meanfield::round

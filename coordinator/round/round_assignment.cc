#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "coordinator/round/round.h"

namespace meanfield::round {

Effects Round::Settle(absl::Time now) {
  if (!ended()) AssignWaiting(now);
  if (!ended()) WatchStarvation(now);
  if (!ended()) ArmAlarm();
  return std::exchange(effects_, {});
}

// First every unit whose preferred worker is idle, so that no other unit takes
// it; then the rest, by index and name.
void Round::AssignWaiting(absl::Time now) {
  for (size_t i = 0; i < units_.size(); ++i) {
    const UnitEntry& unit = units_[i];
    const std::string preferred = unit.request.preferred_worker;
    if (unit.state == UnitState::kWaiting && preferred != unit.avoid_worker &&
        IsIdle(preferred)) {
      AssignTo(i, preferred, now);
    }
  }
  std::set<std::string> idle;
  for (const auto& [worker, lease] : workers_) {
    if (!lease.has_value()) idle.insert(worker);
  }
  for (size_t i = 0; i < units_.size() && !idle.empty(); ++i) {
    const UnitEntry& unit = units_[i];
    if (unit.state != UnitState::kWaiting) continue;
    auto worker = idle.begin();
    if (*worker == unit.avoid_worker && HasUsableBeside(*worker)) ++worker;
    if (worker == idle.end()) continue;
    AssignTo(i, *worker, now);
    idle.erase(worker);
  }
}

void Round::AssignTo(size_t index, const std::string& worker, absl::Time now) {
  const uint64_t id = next_lease_++;
  LeaseEntry& lease = leases_[id];
  lease = {.unit = index,
           .worker = worker,
           .deadline = now + policy_.first_step_limit};
  workers_.at(worker) = id;
  units_[index].leases.push_back(id);
  units_[index].live = id;
  Move(units_[index], UnitState::kLeased);
  effects_.push_back(Assign{id, worker, index});
}

void Round::Reinstate(uint64_t id, LeaseEntry& lease) {
  UnitEntry& unit = units_[*lease.unit];
  lease.state = LeaseState::kLive;
  --unit.failures;
  unit.live = id;
  Move(unit, UnitState::kLeased);
}

void Round::LapseOverdue(absl::Time now) {
  for (const auto& [worker, id] : workers_) {
    if (ended()) return;
    if (!id.has_value()) continue;
    LeaseEntry& lease = leases_.at(*id);
    if (lease.state != LeaseState::kLive || now < lease.deadline) continue;
    UnitEntry& unit = units_[*lease.unit];
    lease.state = LeaseState::kLapsed;
    unit.live.reset();
    CountFailure(unit, worker, LapseReason(lease));
    Reopen(*lease.unit);
  }
}

bool Round::IsIdle(const std::string& worker) const {
  const auto it = workers_.find(worker);
  return it != workers_.end() && !it->second.has_value();
}

bool Round::IsUsable(const std::string& worker) const {
  const std::optional<uint64_t>& lease = workers_.at(worker);
  return !lease.has_value() || leases_.at(*lease).state == LeaseState::kLive;
}

bool Round::HasUsableBeside(const std::string& worker) const {
  return std::any_of(workers_.begin(), workers_.end(), [&](const auto& other) {
    return other.first != worker && IsUsable(other.first);
  });
}

void Round::WatchStarvation(absl::Time now) {
  const bool waiting = std::any_of(
      units_.begin(), units_.end(),
      [](const UnitEntry& unit) { return unit.state == UnitState::kWaiting; });
  if (!waiting || HasUsableBeside(/*worker=*/"")) {
    starved_since_.reset();
  } else if (!starved_since_.has_value()) {
    starved_since_ = now;
  } else if (now - *starved_since_ >= policy_.starvation_limit) {
    End(RoundState::kAbandoned, StarvationReason());
  }
}

void Round::ArmAlarm() {
  absl::Time next = absl::InfiniteFuture();
  if (starved_since_.has_value()) {
    next = *starved_since_ + policy_.starvation_limit;
  }
  for (const auto& [worker, id] : workers_) {
    if (!id.has_value()) continue;
    const LeaseEntry& lease = leases_.at(*id);
    if (lease.state == LeaseState::kLive) next = std::min(next, lease.deadline);
  }
  // A later time need not replace the alarm: OnAlarm asks again.
  if (next == absl::InfiniteFuture() || (armed_.has_value() && *armed_ <= next))
    return;
  armed_ = next;
  effects_.push_back(WakeAt{next});
}

}  // namespace meanfield::round

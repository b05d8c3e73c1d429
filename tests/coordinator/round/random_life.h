#ifndef MEANFIELD_TESTS_COORDINATOR_ROUND_RANDOM_LIFE_H_
#define MEANFIELD_TESTS_COORDINATOR_ROUND_RANDOM_LIFE_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/random.h"
#include "coordinator/round/round.h"
#include "tests/coordinator/round/round_fixture.h"

namespace meanfield::round {

inline constexpr absl::Duration kStepLimit = absl::Seconds(20);

// One random life of a Round: joins, losses, hung workers, late, repeated,
// differing and rejected results, failures, cancellation. Keeps its own books
// and compares every effect with them.
class RandomLife {
 public:
  explicit RandomLife(uint64_t seed)
      : rng_(seed),
        units_(1 + rng_.Below(6)),
        policy_{.step_limit = kStepLimit,
                .first_step_limit = absl::Seconds(40),
                .starvation_limit = absl::Seconds(30)},
        round_(MakeUnits(units_.size()), policy_, /*first_lease=*/1) {}

  void Live() {
    std::set<std::string> present;
    for (uint64_t i = rng_.Below(4); i > 0; --i) present.insert(AnyWorker());
    for (const std::string& worker : present) workers_[worker];
    Check(round_.Start(present, now_));
    const uint64_t events = rng_.Below(150);
    for (uint64_t i = 0; i < events && !Failed(); ++i) Disturb();
    // Left in peace, it ends.
    for (int i = 0; i < 400 && !ended_ && !Failed(); ++i) Cooperate();
    Expect(ended_, "neither complete nor abandoned");
    for (int i = 0; i < 3 && !Failed(); ++i) Disturb();
  }

  const std::string& fault() const { return fault_; }
  bool complete() const { return complete_; }

 private:
  struct SimLease {
    std::string worker;
    size_t unit = 0;
    bool reported = false;
    bool cancelled = false;
    bool lost = false;
    bool live = true;  // not over, not lapsed
    uint64_t steps = 0;
    absl::Time deadline;
  };
  struct SimUnit {
    std::optional<uint64_t> open;  // lease under ingest
    std::optional<uint64_t> accepted;
    std::string avoid;
  };
  using File = std::pair<uint64_t, std::string>;  // lease, hash

  bool Failed() const { return !fault_.empty(); }
  void Expect(bool condition, const std::string& what) {
    if (!condition && fault_.empty()) {
      fault_ = absl::StrCat(what, " after: ", last_event_);
    }
  }
  std::string AnyWorker() {
    return std::string(1, static_cast<char>('a' + rng_.Below(4)));
  }
  bool Chance(uint64_t percent) { return rng_.Below(100) < percent; }

  // ---- events
  void Disturb() {
    switch (rng_.Below(12)) {
      case 0:
        return Join(AnyWorker());
      case 1:
        return Lose(AnyWorker());
      case 2:
      case 3:
        return Step(AnyLease(), Chance(70) ? 1 : 0);
      case 4:
      case 5:
        return Report(AnyLease());
      case 6:
        return Fail(AnyLease());
      case 7:
      case 8:
        return Judge(Chance(75));
      case 9:
        return Wait(absl::Seconds(static_cast<int64_t>(rng_.Below(15))));
      case 10:
        return Wait(absl::InfiniteDuration());  // to the alarm
      default:
        if (Chance(5)) return Cancel();
        return Strangers();
    }
  }

  // Workers that are there do their work; nothing fails any more.
  void Cooperate() {
    if (workers_.empty() && Chance(50)) return Join(AnyWorker());
    if (!OpenIngests().empty()) return Judge(/*accept=*/true);
    for (const auto& [id, lease] : leases_) {
      const bool alive = !lease.reported && !lease.lost;
      if (!alive || hung_.contains(lease.worker)) continue;
      return lease.cancelled ? Fail(id) : Report(id);
    }
    Wait(absl::InfiniteDuration());
  }

  void Join(const std::string& worker) {
    last_event_ = absl::StrCat("join ", worker);
    if (workers_.contains(worker)) DropLease(worker);
    workers_[worker] = std::nullopt;
    hung_.erase(worker);
    if (Chance(20)) hung_.insert(worker);
    Check(round_.OnWorkerJoined(worker, now_));
  }
  void Lose(const std::string& worker) {
    last_event_ = absl::StrCat("lose ", worker);
    DropLease(worker);
    workers_.erase(worker);
    Check(round_.OnWorkerLost(worker, "test", now_));
  }
  void DropLease(const std::string& worker) {
    const auto it = workers_.find(worker);
    if (it == workers_.end() || !it->second) return;
    leases_[*it->second].lost = true;
    leases_[*it->second].live = false;
  }
  void Step(std::optional<uint64_t> id, uint64_t rise) {
    if (!id || leases_[*id].reported || leases_[*id].lost) return;
    SimLease& lease = leases_[*id];
    last_event_ = absl::StrCat("step of lease ", *id, " by ", rise);
    lease.steps += rise;
    if (rise > 0) lease.deadline = now_ + kStepLimit;
    if (rise > 0 && !lease.cancelled && IsWaiting(lease.unit)) {
      lease.live = true;
    }
    Check(round_.OnProgress(*id, lease.steps, now_));
  }
  void Report(std::optional<uint64_t> id) {
    if (!id) return;
    const SimLease& lease = leases_[*id];
    // Updates differ where a worker computes wrongly.
    const std::string hash =
        result_
            .try_emplace(*id, absl::StrCat("u", lease.unit,
                                           Chance(10) ? lease.worker : ""))
            .first->second;
    last_event_ = absl::StrCat("result ", hash, " of lease ", *id);
    files_.insert({*id, hash});
    MarkReported(*id);
    Check(round_.OnResult(*id, ResultOf(hash), now_));
  }
  void Fail(std::optional<uint64_t> id) {
    if (!id || leases_[*id].lost) return;
    const absl::StatusCode codes[] = {
        absl::StatusCode::kCancelled, absl::StatusCode::kUnavailable,
        absl::StatusCode::kAborted,   absl::StatusCode::kInvalidArgument,
        absl::StatusCode::kInternal,  absl::StatusCode::kOk};
    last_event_ = absl::StrCat("failure of lease ", *id);
    SimLease& lease = leases_[*id];
    if (!lease.reported && !lease.cancelled) {
      units_[lease.unit].avoid = lease.worker;
    }
    MarkReported(*id);
    Check(round_.OnFailure(*id, absl::Status(codes[rng_.Below(6)], "test"),
                           now_));
  }
  void MarkReported(uint64_t id) {
    SimLease& lease = leases_[id];
    lease.reported = true;
    lease.live = false;
    const auto it = workers_.find(lease.worker);
    if (it != workers_.end() && it->second == id) it->second.reset();
  }
  // The driver's verdict on an open result.
  void Judge(bool accept) {
    const auto open = OpenIngests();
    if (open.empty()) return;
    const auto [unit, id] = open[rng_.Below(open.size())];
    last_event_ = absl::StrCat(accept ? "accept" : "reject", " lease ", id);
    units_[unit].open.reset();
    if (accept) {
      if (!ended_) units_[unit].accepted = id;
      Check(round_.OnAccepted(id, now_));
    } else {
      units_[unit].avoid = leases_[id].worker;
      RemoveFile({id, open_hash_[unit]});
      Check(round_.OnRejected(id, "nan", now_));
    }
  }
  void Wait(absl::Duration duration) {
    const absl::Time until = std::min(now_ + duration, alarm_);
    if (until == absl::InfiniteFuture()) return;
    now_ = std::max(now_, until);
    last_event_ = absl::StrCat("alarm at ", absl::FormatTime(now_));
    if (now_ >= alarm_) alarm_ = absl::InfiniteFuture();
    for (auto& [id, lease] : leases_) {
      if (!lease.live || now_ < lease.deadline) continue;
      lease.live = false;
      units_[lease.unit].avoid = lease.worker;
    }
    Check(round_.OnAlarm(now_));
  }
  void Cancel() {
    last_event_ = "cancel";
    Check(round_.Cancel(absl::CancelledError("test"), now_));
  }
  void Strangers() {
    last_event_ = "events of leases that are not of this round";
    files_.insert({999999, "?"});
    Check(round_.OnProgress(999999, 1, now_));
    Check(round_.OnFailure(999999, absl::InternalError("?"), now_));
    Check(round_.OnResult(999999, ResultOf("?"), now_));
  }

  std::optional<uint64_t> AnyLease() {
    if (leases_.empty()) return std::nullopt;
    return 1 + rng_.Below(leases_.size());
  }
  std::vector<std::pair<size_t, uint64_t>> OpenIngests() const {
    std::vector<std::pair<size_t, uint64_t>> open;
    for (size_t i = 0; i < units_.size(); ++i) {
      if (units_[i].open) open.emplace_back(i, *units_[i].open);
    }
    return open;
  }
  void RemoveFile(const File& file) {
    Expect(files_.erase(file) == 1,
           absl::StrCat("discards a file that is not there, of ", file.first));
  }

  // ---- effects
  void Check(const Effects& effects) {
    const bool was_ended = ended_;
    for (const Effect& effect : effects) {
      Expect(!was_ended || std::holds_alternative<Discard>(effect),
             "not silent after the end");
      Expect(!ended_ || was_ended || effects.empty(), "goes on after the end");
      std::visit([this](const auto& e) { Take(e); }, effect);
    }
    if (!ended_) CheckState();
    Expect(round_.ended() == ended_, "ended() is wrong");
  }

  void Take(const Assign& assign) {
    Expect(assign.lease == next_lease_++, "lease ids do not count up");
    Expect(workers_.contains(assign.worker), "assigns to a lost worker");
    Expect(!workers_[assign.worker], "assigns to a busy worker");
    Expect(!units_[assign.unit].accepted, "assigns a unit that is done");
    Expect(!units_[assign.unit].open, "assigns a unit under ingest");
    Expect(IsWaiting(assign.unit), "assigns a unit that is leased");
    workers_[assign.worker] = assign.lease;
    leases_[assign.lease] = {.worker = assign.worker,
                             .unit = assign.unit,
                             .deadline = now_ + policy_.first_step_limit};
  }
  void Take(const CancelLease& cancel) {
    SimLease& lease = leases_[cancel.lease];
    Expect(!lease.reported && !lease.lost && !lease.cancelled,
           "cancels a lease that is over");
    Expect(cancel.worker == lease.worker, "cancel names another worker");
    lease.cancelled = true;
    lease.live = false;
  }
  void Take(const Ingest& ingest) {
    SimUnit& unit = units_[ingest.unit];
    Expect(!unit.open && !unit.accepted, "a second ingest of a unit");
    Expect(files_.contains({ingest.lease, ingest.result.output().id()}),
           "ingests what was not reported");
    unit.open = ingest.lease;
    open_hash_[ingest.unit] = ingest.result.output().id();
  }
  void Take(const Discard& discard) {
    const std::string& hash = discard.result.output().id();
    const auto it = leases_.find(discard.lease);
    if (it == leases_.end()) {
      Expect(discard.reason == "stale", "wrong reason");
    } else if (units_[it->second.unit].accepted) {
      const bool equal = hash == open_hash_[it->second.unit];
      Expect(discard.reason == (equal ? "duplicate" : "mismatch"),
             "wrong reason");
      Expect(units_[it->second.unit].accepted != discard.lease,
             "discards the accepted result");
    }
    RemoveFile({discard.lease, hash});
  }
  void Take(const Complete&) {
    ended_ = complete_ = true;
    for (const SimUnit& unit : units_) {
      Expect(unit.accepted.has_value(), "complete without every unit");
    }
    Expect(files_.size() == units_.size(), "files are left over");
  }
  void Take(const Abandon& abandon) {
    ended_ = true;
    Expect(!abandon.reason.ok() && !abandon.reason.message().empty(),
           "abandons without a reason");
    for (const auto& [id, lease] : leases_) {
      Expect(lease.reported || lease.lost || lease.cancelled,
             "leaves a worker running");
    }
  }
  void Take(const WakeAt& wake) {
    Expect(wake.time > now_, "wants an alarm in the past");
    alarm_ = wake.time;
  }

  // What must hold between events.
  void CheckState() {
    size_t usable = 0;
    std::optional<std::string> idle;
    for (const auto& [worker, id] : workers_) {
      if (!id) idle = worker;
      if (!id || leases_[*id].live) ++usable;
      Expect(!id || !leases_[*id].live || alarm_ <= leases_[*id].deadline,
             "no alarm for a lease");
    }
    for (const auto& [id, lease] : leases_) {
      Expect(!units_[lease.unit].accepted || lease.reported || lease.lost ||
                 lease.cancelled,
             "a worker goes on with a unit that is done");
    }
    for (size_t i = 0; i < units_.size(); ++i) {
      if (!IsWaiting(i)) continue;
      Expect(!idle || (*idle == units_[i].avoid && usable > 1),
             "an idle worker and a waiting unit");
      Expect(usable > 0 || alarm_ < absl::InfiniteFuture(),
             "starves without an alarm");
    }
  }
  bool IsWaiting(size_t unit) const {
    if (units_[unit].open || units_[unit].accepted) return false;
    return std::none_of(leases_.begin(), leases_.end(), [&](const auto& entry) {
      return entry.second.unit == unit && entry.second.live;
    });
  }

  CounterRng rng_;
  std::vector<SimUnit> units_;
  Policy policy_;
  Round round_;
  absl::Time now_ = absl::UnixEpoch() + absl::Hours(1);
  absl::Time alarm_ = absl::InfiniteFuture();
  std::map<std::string, std::optional<uint64_t>> workers_;
  std::set<std::string> hung_;
  std::map<uint64_t, SimLease> leases_;
  std::set<File> files_;
  std::map<uint64_t, std::string> result_;  // of a lease, once it has one
  std::map<size_t, std::string> open_hash_;
  uint64_t next_lease_ = 1;
  bool ended_ = false;
  bool complete_ = false;
  std::string last_event_ = "start";
  std::string fault_;
};

}  // namespace meanfield::round

#endif  // MEANFIELD_TESTS_COORDINATOR_ROUND_RANDOM_LIFE_H_

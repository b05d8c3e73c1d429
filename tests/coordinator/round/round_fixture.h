#ifndef MEANFIELD_TESTS_COORDINATOR_ROUND_ROUND_FIXTURE_H_
#define MEANFIELD_TESTS_COORDINATOR_ROUND_ROUND_FIXTURE_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "coordinator/round/round.h"

namespace meanfield::round {

inline std::vector<UnitRequest> MakeUnits(size_t count) {
  std::vector<UnitRequest> units(count);
  for (size_t i = 0; i < count; ++i) {
    units[i].key.set_run("run");
    units[i].key.set_round(3);
    units[i].key.set_task("ner");
    units[i].key.set_kind(proto::TRAIN);
    units[i].key.set_shard(static_cast<uint32_t>(i));
  }
  return units;
}

inline proto::UnitResult ResultOf(const std::string& hash) {
  proto::UnitResult result;
  result.mutable_output()->set_id(hash);
  return result;
}

// The effects of one kind, in order.
template <typename T>
std::vector<T> All(const Effects& effects) {
  std::vector<T> found;
  for (const Effect& effect : effects) {
    if (const T* one = std::get_if<T>(&effect)) found.push_back(*one);
  }
  return found;
}

// One line per effect but WakeAt, for whole-value comparison.
inline std::vector<std::string> Text(const Effects& effects) {
  std::vector<std::string> lines;
  for (const Effect& effect : effects) {
    if (const auto* e = std::get_if<Assign>(&effect)) {
      lines.push_back(
          absl::StrCat("assign ", e->lease, " ", e->worker, " u", e->unit));
    } else if (const auto* e = std::get_if<CancelLease>(&effect)) {
      lines.push_back(absl::StrCat("cancel ", e->lease, " ", e->worker));
    } else if (const auto* e = std::get_if<Ingest>(&effect)) {
      lines.push_back(absl::StrCat("ingest ", e->lease, " ", e->worker, " u",
                                   e->unit, " ", e->result.output().id()));
    } else if (const auto* e = std::get_if<Discard>(&effect)) {
      lines.push_back(absl::StrCat("discard ", e->lease, " ", e->reason));
    } else if (const auto* e = std::get_if<Abandon>(&effect)) {
      lines.push_back(
          absl::StrCat("abandon ", absl::StatusCodeToString(e->reason.code())));
    } else if (std::get_if<Complete>(&effect) != nullptr) {
      lines.push_back("complete");
    }
  }
  return lines;
}

// The message of the Abandon among the effects; empty where there is none.
inline std::string AbandonMessage(const Effects& effects) {
  const std::vector<Abandon> found = All<Abandon>(effects);
  return found.empty() ? "" : std::string(found.front().reason.message());
}

// A round with a clock that stands still unless told.
class RoundFixture {
 public:
  explicit RoundFixture(size_t units, const std::set<std::string>& workers,
                        Policy policy = {})
      : RoundFixture(MakeUnits(units), workers, policy) {}
  RoundFixture(std::vector<UnitRequest> units,
               const std::set<std::string>& workers, Policy policy = {},
               UnsettledLeases unsettled = {})
      : round(std::move(units), policy, /*first_lease=*/100, unsettled),
        start(round.Start(workers, now)) {}

  // To the alarm and over it.
  Effects After(absl::Duration duration) {
    now += duration;
    return round.OnAlarm(now);
  }
  std::vector<std::string> Fails(uint64_t lease, const absl::Status& status) {
    return Text(round.OnFailure(lease, status, now));
  }
  std::vector<std::string> Result(uint64_t lease, const std::string& hash) {
    return Text(round.OnResult(lease, ResultOf(hash), now));
  }
  std::vector<std::string> Accepted(uint64_t lease) {
    return Text(round.OnAccepted(lease, now));
  }
  std::vector<std::string> Rejected(uint64_t lease) {
    return Text(round.OnRejected(lease, "nan", now));
  }

  absl::Time now = absl::UnixEpoch() + absl::Hours(1);
  Round round;
  Effects start;
};

}  // namespace meanfield::round

#endif  // MEANFIELD_TESTS_COORDINATOR_ROUND_ROUND_FIXTURE_H_

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "coordinator/round/round.h"

namespace meanfield::round {

namespace {

constexpr size_t kNamesShown = 6;

std::string UnitName(const proto::UnitKey& key) {
  std::string name = absl::StrCat(proto::UnitKind_Name(key.kind()), " unit (");
  if (!key.task().empty())
    absl::StrAppend(&name, "task \"", key.task(), "\", ");
  return absl::StrCat(name, "round ", key.round(), ", shard ", key.shard(),
                      ")");
}

std::string JoinSome(const std::vector<std::string>& names) {
  const size_t shown = std::min(names.size(), kNamesShown);
  const std::string text =
      absl::StrJoin(names.begin(), names.begin() + shown, ", ");
  return shown == names.size()
             ? text
             : absl::StrCat(text, " and ", names.size() - shown, " more");
}

}  // namespace

absl::Status Round::LapseReason(const LeaseEntry& lease) const {
  if (lease.steps_done == 0) {
    return absl::DeadlineExceededError(
        absl::StrCat("no first step within ",
                     absl::FormatDuration(policy_.first_step_limit)));
  }
  return absl::DeadlineExceededError(
      absl::StrCat("no step for ", absl::FormatDuration(policy_.step_limit),
                   " after step ", lease.steps_done));
}

absl::Status Round::HopelessReason(const UnitEntry& unit) const {
  const std::string name = UnitName(unit.request.key);
  const absl::Status& last = unit.last_failure;
  if (unit.repeated_hash) {
    return absl::AbortedError(absl::StrCat(
        name, " diverged: two attempts gave the same invalid update. Last: ",
        last.message()));
  }
  if (unit.aborted >= 2) {
    return absl::AbortedError(absl::StrCat(
        name,
        " diverged, also when it was trained again. Last: ", last.message()));
  }
  if (unit.invalid >= 2) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " cannot be worked on: ", last.message(),
                     ". A second attempt said the same"));
  }
  if (unit.failures >= policy_.max_attempts) {
    return absl::Status(last.code(),
                        absl::StrCat(name, " failed ", unit.failures,
                                     " times. Last: ", last.message()));
  }
  if (unit.losses >= policy_.max_losses) {
    return absl::InternalError(absl::StrCat(
        name, " lost its worker ", unit.losses,
        " times; it may be what ends them (memory?). Last: ", last.message()));
  }
  return absl::OkStatus();
}

absl::Status Round::StarvationReason() const {
  std::vector<std::string> waiting;
  for (const UnitEntry& unit : units_) {
    if (unit.state == UnitState::kWaiting) {
      waiting.push_back(UnitName(unit.request.key));
    }
  }
  std::string text = absl::StrCat(
      "no worker for ", absl::FormatDuration(policy_.starvation_limit), "; ",
      waiting.size() == 1 ? "1 unit waits: "
                          : absl::StrCat(waiting.size(), " units wait: "),
      JoinSome(waiting));
  if (!recent_losses_.empty()) {
    absl::StrAppend(&text, "; lost: ", absl::StrJoin(recent_losses_, ", "));
  }
  std::vector<std::string> silent;
  for (const auto& [worker, lease] : workers_) {
    silent.push_back(absl::StrCat("\"", worker, "\""));
  }
  if (!silent.empty()) {
    absl::StrAppend(&text,
                    "; connected, but hung in a unit: ", JoinSome(silent));
  }
  return absl::UnavailableError(
      absl::StrCat(text, ". Start a worker and train again"));
}

}  // namespace meanfield::round

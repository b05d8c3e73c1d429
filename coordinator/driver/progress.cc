#include "coordinator/driver/progress.h"

#include <map>
#include <string>

namespace meanfield::driver {
namespace {

struct Pace {
  double tokens = 0;
  double seconds = 0;
};

std::map<std::string, Pace> PaceOfWorkers(
    const std::vector<UnitProgress>& progress, absl::Time now) {
  std::map<std::string, Pace> paces;
  for (const UnitProgress& unit : progress) {
    if (unit.worker.empty()) continue;
    Pace& pace = paces[unit.worker];
    pace.tokens += static_cast<double>(unit.tokens_done);
    pace.seconds +=
        unit.busy_s.value_or(absl::ToDoubleSeconds(now - unit.since));
  }
  return paces;
}

}  // namespace

proto::RunEvent::RoundProgress Describe(
    const proto::RoundPlan& plan, const std::vector<UnitProgress>& progress,
    absl::Time now) {
  proto::RunEvent::RoundProgress message;
  message.set_round(plan.round());
  uint64_t planned = 0;
  for (const proto::ShardPlan& shard : plan.cohort()) {
    planned += shard.train().num_steps();
  }
  message.set_steps_planned(planned);
  uint64_t done = 0;
  double loss_sum = 0;
  uint64_t loss_count = 0;
  for (const UnitProgress& unit : progress) {
    done += unit.steps_done;
    loss_sum += unit.loss_sum;
    loss_count += unit.loss_count;
  }
  message.set_steps_done(done);
  message.set_loss(
      loss_count == 0 ? 0 : loss_sum / static_cast<double>(loss_count));
  for (const auto& [name, pace] : PaceOfWorkers(progress, now)) {
    auto& worker = *message.add_workers();
    worker.set_worker(name);
    worker.set_tokens_per_s(pace.seconds > 0 ? pace.tokens / pace.seconds : 0);
  }
  return message;
}

}  // namespace meanfield::driver

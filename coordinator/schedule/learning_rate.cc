#include "coordinator/schedule/learning_rate.h"

#include "common/base/check.h"

namespace meanfield::schedule {

double BaseLearningRate(const proto::Training& training) {
  switch (training.optimizer_case()) {
    case proto::Training::kSgd:
      return training.sgd().learning_rate();
    case proto::Training::kAdam:
      return training.adam().learning_rate();
    case proto::Training::kAdamw:
      return training.adamw().learning_rate();
    case proto::Training::OPTIMIZER_NOT_SET:
      break;
  }
  MEANFIELD_CHECK(false, "a resolved task has an optimizer");
}

uint64_t WarmupSteps(const proto::Training::LinearDecay& decay,
                     uint64_t all_steps) {
  if (!decay.has_warmup_fraction()) return decay.warmup_steps();
  return static_cast<uint64_t>(static_cast<double>(all_steps) *
                               decay.warmup_fraction());
}

double LinearFactor(uint64_t step, uint64_t warmup_steps, uint64_t all_steps) {
  if (step < warmup_steps || all_steps <= warmup_steps) {
    return static_cast<double>(step) / static_cast<double>(warmup_steps);
  }
  return static_cast<double>(all_steps - step) /
         static_cast<double>(all_steps - warmup_steps);
}

uint64_t WarmupEnd(const ShardSteps& steps, uint64_t warmup_steps,
                   uint64_t all_steps) {
  if (warmup_steps == 0 || warmup_steps >= all_steps) return warmup_steps;
  const ShardSteps::Enclosing ends = steps.EndsAround(warmup_steps);
  return ends.above < all_steps ? ends.above : ends.below;
}

}  // namespace meanfield::schedule

#include "coordinator/schedule/shard_steps.h"

#include <algorithm>
#include <limits>

#include "common/base/check.h"

namespace meanfield::schedule {

namespace {

uint64_t Times(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product)
             ? std::numeric_limits<uint64_t>::max()
             : product;
}

uint64_t Plus(uint64_t a, uint64_t b) {
  return a + std::min(b, std::numeric_limits<uint64_t>::max() - a);
}

uint64_t DivideUp(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

}  // namespace

ShardSteps::ShardSteps(const proto::Schedule& schedule, const proto::Stop& stop,
                       uint64_t steps_per_epoch, uint64_t longest_epoch)
    : steps_per_epoch_(steps_per_epoch) {
  switch (schedule.when_case()) {
    case proto::Schedule::kLocalEpochs:
      steps_per_round_ = Times(schedule.local_epochs(), steps_per_epoch);
      break;
    case proto::Schedule::kLocalSteps:
      steps_per_round_ = steps_per_epoch == 0 ? 0 : schedule.local_steps();
      break;
    case proto::Schedule::kSyncsPerEpoch:
      syncs_per_epoch_ =
          std::min<uint64_t>(schedule.syncs_per_epoch(), longest_epoch);
      break;
    case proto::Schedule::WHEN_NOT_SET:
      MEANFIELD_CHECK(false, "a resolved job has a schedule");
  }
  if (stop.has_max_epochs()) {
    max_epochs_ = stop.max_epochs();
    max_steps_ = Times(stop.max_epochs(), steps_per_epoch);
  }
}

uint64_t ShardSteps::InNextRounds(uint64_t rounds, uint64_t steps,
                                  uint64_t count) const {
  const uint64_t wanted =
      divides_epochs() ? UpToRound(Plus(rounds, count)) - UpToRound(rounds)
                       : Times(steps_per_round_, count);
  if (!max_steps_.has_value()) return wanted;
  return std::min(wanted, *max_steps_ - std::min(*max_steps_, steps));
}

std::optional<uint64_t> ShardSteps::RoundsToEnd(uint64_t rounds,
                                                uint64_t steps) const {
  if (!max_steps_.has_value()) return std::nullopt;
  if (steps >= *max_steps_) return 0;
  if (!divides_epochs()) {
    return DivideUp(*max_steps_ - steps, steps_per_round_);
  }
  const uint64_t all = Times(*max_epochs_, syncs_per_epoch_);
  return all - std::min(all, rounds);
}

ShardSteps::Enclosing ShardSteps::EndsAround(uint64_t step) const {
  MEANFIELD_CHECK(step > 0 && steps_per_epoch_ > 0, "nothing ends before it");
  uint64_t rounds = 0;
  if (divides_epochs()) {
    const uint64_t epochs = step / steps_per_epoch_;
    const uint64_t rest = step % steps_per_epoch_;
    // The first run of the epoch that ends at or after `rest`.
    rounds = Plus(Times(epochs, syncs_per_epoch_),
                  DivideUp(Times(rest, syncs_per_epoch_), steps_per_epoch_));
    return {.below = UpToRound(rounds - 1), .above = UpToRound(rounds)};
  }
  rounds = DivideUp(step, steps_per_round_);
  return {.below = Times(rounds - 1, steps_per_round_),
          .above = Times(rounds, steps_per_round_)};
}

uint64_t ShardSteps::UpToRound(uint64_t rounds) const {
  const uint64_t part = rounds % syncs_per_epoch_;
  return Plus(Times(rounds / syncs_per_epoch_, steps_per_epoch_),
              Times(part, steps_per_epoch_) / syncs_per_epoch_);
}

}  // namespace meanfield::schedule

#ifndef MEANFIELD_COORDINATOR_SCHEDULE_SHARD_STEPS_H_
#define MEANFIELD_COORDINATOR_SCHEDULE_SHARD_STEPS_H_

#include <cstdint>
#include <optional>

#include "proto/job.pb.h"

namespace meanfield::schedule {

// How many steps one shard does in which round, by the job's schedule. Counts
// saturate instead of overflowing.
class ShardSteps {
 public:
  // `longest_epoch` is that of the longest shard: no epoch is divided into more
  // rounds than that.
  ShardSteps(const proto::Schedule& schedule, const proto::Stop& stop,
             uint64_t steps_per_epoch, uint64_t longest_epoch);

  // Steps of the next `count` rounds of a shard that has `rounds` and `steps`
  // behind it.
  uint64_t InNextRounds(uint64_t rounds, uint64_t steps, uint64_t count) const;
  // Rounds until max_epochs are done; absent without that limit.
  std::optional<uint64_t> RoundsToEnd(uint64_t rounds, uint64_t steps) const;
  // First and last end of a round that encloses step `step` > 0, counted from a
  // start without any limit: below < step <= above.
  struct Enclosing {
    uint64_t below = 0;
    uint64_t above = 0;
  };
  Enclosing EndsAround(uint64_t step) const;

 private:
  bool divides_epochs() const { return syncs_per_epoch_ > 0; }
  uint64_t UpToRound(uint64_t rounds) const;

  uint64_t steps_per_epoch_;
  uint64_t syncs_per_epoch_ = 0;  // or
  uint64_t steps_per_round_ = 0;  // this one
  std::optional<uint64_t> max_epochs_;
  std::optional<uint64_t> max_steps_;
};

}  // namespace meanfield::schedule

#endif  // MEANFIELD_COORDINATOR_SCHEDULE_SHARD_STEPS_H_

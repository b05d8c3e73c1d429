#ifndef MEANFIELD_COORDINATOR_SCHEDULE_LEARNING_RATE_H_
#define MEANFIELD_COORDINATOR_SCHEDULE_LEARNING_RATE_H_

#include <cstdint>

#include "coordinator/schedule/shard_steps.h"
#include "proto/job.pb.h"

namespace meanfield::schedule {

// The learning rate that a resolved task's optimizer names.
double BaseLearningRate(const proto::Training& training);

// Steps of the warm-up of a shard that does `all_steps`: those named, or the
// fraction of all, rounded down as Flair does.
uint64_t WarmupSteps(const proto::Training::LinearDecay& decay,
                     uint64_t all_steps);

// Warm-up over so many of all steps, then down to 0: Flair's factor of the base
// rate at 0-based step `step` <= all_steps.
double LinearFactor(uint64_t step, uint64_t warmup_steps, uint64_t all_steps);

// The warm-up's end moved to the end of a round, as a unit carries one straight
// line: of the round that it ends in, or, where that is the shard's last one,
// of the round before. A warm-up that outlasts the training stays.
uint64_t WarmupEnd(const ShardSteps& steps, uint64_t warmup_steps,
                   uint64_t all_steps);

}  // namespace meanfield::schedule

#endif  // MEANFIELD_COORDINATOR_SCHEDULE_LEARNING_RATE_H_

#ifndef MEANFIELD_COORDINATOR_SCHEDULE_SCHEDULE_H_
#define MEANFIELD_COORDINATOR_SCHEDULE_SCHEDULE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "proto/job.pb.h"
#include "proto/plan.pb.h"
#include "proto/record.pb.h"

namespace meanfield::schedule {

struct ShardSize {
  std::string task;
  uint32_t shard = 0;
  uint64_t examples = 0;
  uint64_t tokens = 0;
};

// Pure functions of a resolved job, its shard sizes and the committed past: no
// clock, no randomness but derived seeds.

// Rounds until the stop rule at the latest (max_rounds, max_epochs).
uint32_t PlannedRounds(const proto::JobSpec& job,
                       const std::vector<ShardSize>& shards);

// The plan of round 1, 2, …; `last` is the newest committed verdict (absent
// before the first one). Steps per epoch of a shard are
// ceil(examples / batch_size); local_epochs = E gives E times that,
// local_steps = H gives H, syncs_per_epoch = S divides an epoch into S nearly
// equal runs of steps. linear_decay goes over all planned steps of the shard.
proto::RoundPlan MakePlan(const proto::JobSpec& job,
                          const std::vector<ShardSize>& shards, uint32_t round,
                          const std::optional<proto::Verdict>& last);

// The decision after evaluating round `round`: best model (strictly better main
// score; ties keep the older), annealing (Flair's rule: equal score and lower
// loss is an improvement), early stop, divergence (a non-finite loss).
// `evaluation` absent: the job has no dev split; the last model is the best.
proto::Verdict Judge(const proto::JobSpec& job, const proto::RoundPlan& plan,
                     const std::optional<proto::Verdict>& previous,
                     const std::optional<proto::EvaluationRecord>& evaluation,
                     double best_score_so_far);

// Value of "A + B"; absent where a score of that name is missing.
std::optional<double> MainScore(const std::string& metric,
                                const proto::EvaluationRecord& evaluation);

}  // namespace meanfield::schedule

#endif  // MEANFIELD_COORDINATOR_SCHEDULE_SCHEDULE_H_

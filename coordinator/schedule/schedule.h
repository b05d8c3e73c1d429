#ifndef MEANFIELD_COORDINATOR_SCHEDULE_SCHEDULE_H_
#define MEANFIELD_COORDINATOR_SCHEDULE_SCHEDULE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
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

// What a run has behind it: the committed plans, and the newest verdict.
struct Past {
  uint32_t rounds = 0;
  std::map<std::pair<std::string, uint32_t>, uint64_t> steps;  // (task, shard)
  std::optional<proto::Verdict> verdict;

  // Rounds are added in order.
  void Add(const proto::RoundPlan& plan);
};

// Pure functions of a resolved job, the sizes of its training shards and the
// committed past: no clock, no randomness but derived seeds. A resumed run may
// have other stop limits than its past was planned with.
//
// A shard's epoch is ceil(examples / batch_size) steps. In each round it does
//   local_epochs = E     E epochs,
//   local_steps = H      H steps, across the ends of epochs,
//   syncs_per_epoch = S  one of S runs of an epoch that differ by at most one
//                        step (S is at most the longest shard's epoch),
// and stops after max_epochs, so that its last round may be shorter. A shard
// without a step to do, without examples, or of weight 0 is not in the cohort.

// Rounds of the whole run, `past` included, until the stop rule at the latest
// (max_rounds, and every shard has done max_epochs). At least past.rounds.
uint32_t PlannedRounds(const proto::JobSpec& job,
                       const std::vector<ShardSize>& shards, const Past& past);

// The plan of round past.rounds + 1.
//
// linear_decay: the factor at step s of a shard with n planned steps and W
// warm-up steps is s/W before W, then (n − s)/(n − W), as Flair's. A unit
// carries one straight line, so a warm-up that would end inside of a unit ends
// with that unit; if that were the shard's last one, it ends with the unit
// before it (none: no warm-up).
proto::RoundPlan MakePlan(const proto::JobSpec& job,
                          const std::vector<ShardSize>& shards,
                          const Past& past);

// The decision after evaluating `plan`'s round, by the first task's rules:
// best model (strictly better main score; ties keep the older; the first finite
// score is one, also 0), annealing (Flair's rule: an equal score with a lower
// loss is an improvement, too), early stop, divergence (the loss is not
// finite). `evaluation` absent: the job has no dev split; the last model is the
// best. `previous` is the newest verdict before this one. The evaluation holds
// the task's metric.
proto::Verdict Judge(const proto::JobSpec& job, const proto::RoundPlan& plan,
                     const std::optional<proto::Verdict>& previous,
                     const std::optional<proto::EvaluationRecord>& evaluation);

// Why training ends with this verdict, by the job's present limits; empty: it
// goes on. The verdict's own reason was found by the limits of its time.
std::string StopReason(const proto::JobSpec& job,
                       const proto::Verdict& verdict);

// Value of "A", or of "A + B", …; absent where a score of that name is missing.
// An empty metric is the first score listed.
std::optional<double> MainScore(const std::string& metric,
                                const proto::EvaluationRecord& evaluation);

}  // namespace meanfield::schedule

#endif  // MEANFIELD_COORDINATOR_SCHEDULE_SCHEDULE_H_

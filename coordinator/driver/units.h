#ifndef MEANFIELD_COORDINATOR_DRIVER_UNITS_H_
#define MEANFIELD_COORDINATOR_DRIVER_UNITS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/blob/blob_store.h"
#include "coordinator/driver/phase.h"
#include "coordinator/driver/prepared_run.h"
#include "proto/plan.pb.h"

namespace meanfield::driver {

// (split, shard) -> the worker that had it last.
using ShardHolders = std::map<std::pair<std::string, uint32_t>, std::string>;

// The units of each phase of a run. Pure.
Phase::Unit InitUnit(const PreparedRun& run);
// One per shard of the plan's cohort, in its order.
std::vector<Phase::Unit> TrainUnits(const PreparedRun& run,
                                    const proto::RoundPlan& plan,
                                    const Blob& model,
                                    const ShardHolders& holders);
struct EvaluationWork {
  std::string split;       // "dev" or "test"
  std::string model_name;  // "global" or "best"
  Blob model;
  uint32_t round = 0;
};
std::vector<Phase::Unit> EvaluateUnits(const PreparedRun& run,
                                       const EvaluationWork& work,
                                       const ShardHolders& holders);

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_UNITS_H_

#ifndef MEANFIELD_COORDINATOR_DRIVER_EVALUATION_H_
#define MEANFIELD_COORDINATOR_DRIVER_EVALUATION_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "coordinator/driver/run_floor.h"
#include "coordinator/driver/units.h"
#include "proto/record.pb.h"

namespace meanfield::driver {

// The scores of one model on one split, and the rows of its predictions.
struct Evaluation {
  proto::EvaluationRecord record;  // without `predictions`
  std::string rows;
};

// Runs the EVALUATE units of `work` (the split has at least one shard) and
// scores their outputs in shard order; `label` names the model in the record.
// `done` once, on the actor, unless the run ends before.
void Evaluate(RunFloor& floor, const EvaluationWork& work,
              const std::string& label,
              std::function<void(absl::StatusOr<Evaluation>)> done);

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_EVALUATION_H_

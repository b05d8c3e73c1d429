#ifndef MEANFIELD_COORDINATOR_DRIVER_STANDING_H_
#define MEANFIELD_COORDINATOR_DRIVER_STANDING_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/blob/blob_store.h"
#include "common/tensor/tensor_spec.h"
#include "coordinator/schedule/schedule.h"
#include "coordinator/store/run_store.h"
#include "proto/event.pb.h"
#include "proto/plan.pb.h"
#include "proto/record.pb.h"

namespace meanfield::driver {

// Where a run stands by its records, in their order of truth: what is committed
// is read back, never computed again.
struct Standing {
  schedule::Past past;
  std::vector<TensorSpec> specs;  // empty: no first model yet
  Blob model;                     // the last one committed
  std::optional<Blob> best;       // absent: no evaluation yet
  uint32_t best_round = 0;
  std::optional<Blob> server_state;
  // A committed round whose evaluation is due, or the last one.
  std::optional<proto::RoundRecord> last_round;
  bool evaluation_due = false;
  // Of the next round: committed, without a model.
  std::optional<proto::RoundPlan> open_plan;
  // Models and states that the run ever had: some may be in the store.
  std::vector<Blob> ever;
  std::vector<proto::WorkerRecord> workers;
};

// Background thread. DATA_LOSS where a model that the run needs is missing or
// damaged: the file is named.
absl::StatusOr<Standing> StandingOf(const std::string& run,
                                    store::RunStore& store);

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_STANDING_H_

#ifndef MEANFIELD_COORDINATOR_DRIVER_ROUND_COMMIT_H_
#define MEANFIELD_COORDINATOR_DRIVER_ROUND_COMMIT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/blob/blob_store.h"
#include "common/tensor/tensor_spec.h"
#include "common/time/clock.h"
#include "coordinator/driver/update_fold.h"
#include "coordinator/store/run_store.h"
#include "proto/job.pb.h"
#include "proto/record.pb.h"

namespace meanfield::driver {

// The end of a round's training: mean, server optimizer, durable model, record.
// Background thread.
struct RoundCommit {
  store::RunStore& store;
  Clock& clock;
  std::string run;
  std::string scratch_folder;
  proto::ServerOptimizer optimizer;
  std::vector<TensorSpec> specs;
  std::optional<Blob> server_state;  // of the round before
  absl::Time planned_at;
  // Model, state, times are filled in here.
  proto::RoundRecord record;
};
absl::StatusOr<proto::RoundRecord> CommitRound(RoundCommit commit,
                                               UpdateFold& fold);

// Removes a model that `run` no longer needs, unless another run keeps the very
// same bytes. Background thread.
absl::Status RemoveModel(store::RunStore& store, const std::string& run,
                         const Blob& model);

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_ROUND_COMMIT_H_

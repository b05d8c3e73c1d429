#ifndef MEANFIELD_COORDINATOR_OPTIMIZE_SERVER_STEP_H_
#define MEANFIELD_COORDINATOR_OPTIMIZE_SERVER_STEP_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/tensor/safetensors.h"
#include "common/tensor/tensor_spec.h"
#include "proto/job.pb.h"

namespace meanfield::optimize {

// One step of the server optimizer on the pseudo-gradient g = base - mean:
//   avg       w -= η g
//   momentum  v = β v + g;  w -= η v          (FedAvgM)
//   nesterov  v = β v + g;  w -= η (g + β v)  (DiLoCo)
// Only trainable tensors step; the others are the mean's. Computed in double,
// rounded once. avg with η = 1 is a copy of the mean, bit for bit. An optimizer
// of no kind is avg.
struct ServerStep {
  const SafetensorsFile* base = nullptr;
  const SafetensorsFile* mean = nullptr;
  const SafetensorsFile* state = nullptr;  // null: zeros (first round)
  std::vector<TensorSpec> specs;
  std::string model_path;  // written: the next global model
  std::string state_path;  // written where HasState
};
// INVALID_ARGUMENT names the tensor where the files do not fit `specs`;
// OUT_OF_RANGE "inf: …" or "nan: …" names the element where the step leaves the
// finite numbers. Neither path is then written.
absl::Status TakeServerStep(const proto::ServerOptimizer& optimizer,
                            const ServerStep& step);

// Whether the optimizer carries velocity: one tensor per trainable one, named
// as it, F64 (never rounded between rounds).
bool HasState(const proto::ServerOptimizer& optimizer);

}  // namespace meanfield::optimize

#endif  // MEANFIELD_COORDINATOR_OPTIMIZE_SERVER_STEP_H_

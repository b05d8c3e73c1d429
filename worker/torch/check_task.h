#ifndef MEANFIELD_WORKER_TORCH_CHECK_TASK_H_
#define MEANFIELD_WORKER_TORCH_CHECK_TASK_H_

#include <vector>

#include "absl/status/status.h"
#include "common/model/model_config.h"
#include "common/model/training_config.h"
#include "common/tensor/safetensors.h"
#include "common/tensor/tensor_spec.h"

namespace meanfield {

// What arrives from outside is checked once, before a unit computes; models may
// then index without looking. All faults are INVALID_ARGUMENT.

absl::Status CheckModelConfig(const ModelConfig& config);
absl::Status CheckTrainingConfig(const TrainingConfig& config);

// Each of `specs` in one of `files` at least; there with its dtype and shape,
// and no other tensors in any of them.
absl::Status CheckTensors(const std::vector<TensorSpec>& specs,
                          const std::vector<const SafetensorsFile*>& files);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_CHECK_TASK_H_

#ifndef MEANFIELD_WORKER_TORCH_CHECK_TASK_H_
#define MEANFIELD_WORKER_TORCH_CHECK_TASK_H_

#include <vector>

#include "absl/status/status.h"
#include "common/model/encoded_shard.h"
#include "common/model/model_config.h"
#include "common/model/training_config.h"
#include "common/tensor/safetensors.h"
#include "common/tensor/tensor_spec.h"

namespace meanfield {

// What arrives from outside is checked once, before a unit computes; models may
// then index without looking. All faults are INVALID_ARGUMENT.

absl::Status CheckModelConfig(const ModelConfig& config);
absl::Status CheckTrainingConfig(const TrainingConfig& config);

enum class Targets { kNeeded, kUnused };

// Every id below the vocabulary's size, every label or tag (where kNeeded)
// below the number of classes.
absl::Status CheckShard(const ModelConfig& config, const EncodedShard& shard,
                        Targets targets);

// `file` holds exactly the tensors of `specs`.
absl::Status CheckTensors(const std::vector<TensorSpec>& specs,
                          const SafetensorsFile& file);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_CHECK_TASK_H_

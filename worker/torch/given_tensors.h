#ifndef MEANFIELD_WORKER_TORCH_GIVEN_TENSORS_H_
#define MEANFIELD_WORKER_TORCH_GIVEN_TENSORS_H_

#include <vector>

#include "absl/status/status.h"
#include "common/model/model_config.h"
#include "common/tensor/safetensors.h"
#include "common/tensor/tensor_spec.h"

namespace meanfield {

// What an INIT unit is given for its model: tensors of `specs` only, and every
// table of word vectors that is fine-tuned. Faults are INVALID_ARGUMENT.
absl::Status CheckGivenTensors(
    const ModelConfig& model, const std::vector<TensorSpec>& specs,
    const std::vector<const SafetensorsFile*>& given);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_GIVEN_TENSORS_H_

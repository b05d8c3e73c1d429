#ifndef MEANFIELD_WORKER_TORCH_AUTOGRAD_MODEL_H_
#define MEANFIELD_WORKER_TORCH_AUTOGRAD_MODEL_H_

#include <memory>

#include "common/model/model_config.h"
#include "common/model/training_config.h"
#include "worker/torch/device.h"
#include "worker/torch/local_model.h"

namespace meanfield {

// A model trained by LibTorch's autograd and optimizers, on any device.
// Optimizer state starts empty: it lives as long as the unit.
std::unique_ptr<LocalModel> MakeAutogradModel(const ModelConfig& config,
                                              const TrainingConfig& training,
                                              const Device& device);

// Draws the first weights of a model on the CPU from LibTorch's default
// generator.
std::unique_ptr<LocalModel> MakeInitialModel(const ModelConfig& config);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_AUTOGRAD_MODEL_H_

#ifndef MEANFIELD_WORKER_TORCH_LOSS_DIVISOR_H_
#define MEANFIELD_WORKER_TORCH_LOSS_DIVISOR_H_

#include "common/model/model_config.h"
#include "worker/torch/batch.h"

namespace meanfield {

// What LossReduction::kMean divides the sum of a batch's losses by: the number
// of its items; with label weights the weights of their labels, as PyTorch's
// cross entropy does (multi-label: the number of texts again). Above 0: where
// all weights are 0 there is nothing to divide.
double LossDivisor(const ModelConfig& config, const Batch& batch);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_LOSS_DIVISOR_H_

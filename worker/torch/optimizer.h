#ifndef MEANFIELD_WORKER_TORCH_OPTIMIZER_H_
#define MEANFIELD_WORKER_TORCH_OPTIMIZER_H_

#include <ATen/core/Tensor.h>
#include <torch/optim/optimizer.h>

#include <memory>
#include <vector>

#include "common/model/training_config.h"
#include "worker/torch/loss_scaler.h"
#include "worker/torch/net.h"

namespace meanfield {

// Whether a step with this configuration changes only what has a gradient.
// Momentum and weight decay change every row of a table in every step, and
// Adam's moments do.
bool LeavesUnusedRowsAlone(const TrainingConfig& training);

// From gradients to a step: LibTorch's SGD, Adam or AdamW on the trainable
// tensors of a net. Its state starts empty.
class StepOptimizer {
 public:
  StepOptimizer(const std::vector<NamedTensor>& tensors,
                const TrainingConfig& training);

  void ForgetGradients() { optimizer_->zero_grad(/*set_to_none=*/true); }
  // What losses are to be multiplied by before their backward pass.
  double loss_scale() const { return scaler_.scale(); }
  // One step along the gradients that are there: scaled down, clipped to
  // max_grad_norm, at `learning_rate` (times the decoder's factor). Left out
  // where scaled gradients overflowed.
  void Step(float learning_rate);

 private:
  std::vector<at::Tensor> Gradients();

  const TrainingConfig training_;
  std::vector<at::Tensor> parameters_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  std::vector<double> rate_factors_;  // of the optimizer's groups
  LossScaler scaler_;
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_OPTIMIZER_H_

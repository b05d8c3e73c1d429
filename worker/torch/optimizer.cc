#include "worker/torch/optimizer.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/stack.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "worker/torch/sparse_rows.h"

namespace meanfield {
namespace {

using torch::optim::Optimizer;
using Groups = std::vector<torch::optim::OptimizerParamGroup>;

std::unique_ptr<Optimizer> MakeOptimizer(const Groups& groups,
                                         const SgdConfig& config) {
  constexpr double kSetBeforeEachStep = 0.1;
  return std::make_unique<torch::optim::SGD>(
      groups, torch::optim::SGDOptions(kSetBeforeEachStep)
                  .momentum(config.momentum)
                  .weight_decay(config.weight_decay)
                  .nesterov(config.nesterov));
}

std::unique_ptr<Optimizer> MakeOptimizer(const Groups& groups,
                                         const AdamConfig& config) {
  if (config.decoupled_weight_decay) {
    return std::make_unique<torch::optim::AdamW>(
        groups, torch::optim::AdamWOptions()
                    .betas({config.beta1, config.beta2})
                    .eps(config.eps)
                    .weight_decay(config.weight_decay));
  }
  return std::make_unique<torch::optim::Adam>(
      groups, torch::optim::AdamOptions()
                  .betas({config.beta1, config.beta2})
                  .eps(config.eps)
                  .weight_decay(config.weight_decay));
}

bool BelongsToDecoder(std::string_view name) {
  return name.find("embeddings") == std::string_view::npos;
}

// Global L2 norm, as PyTorch's clip_grad_norm_; but that one (LibTorch 2.11)
// leaves sparse gradients as they are.
void Clip(const std::vector<at::Tensor>& gradients, double max_norm) {
  if (gradients.empty()) return;
  std::vector<at::Tensor> norms;
  norms.reserve(gradients.size());
  for (const at::Tensor& gradient : gradients) {
    norms.push_back(gradient.norm());
  }
  const at::Tensor norm = at::stack(norms).norm();
  const at::Tensor coefficient =
      at::clamp(max_norm / (norm + 1e-6), std::nullopt, 1.0);
  for (const at::Tensor& gradient : gradients) gradient.mul_(coefficient);
}

}  // namespace

bool LeavesUnusedRowsAlone(const TrainingConfig& training) {
  const auto* sgd = std::get_if<SgdConfig>(&training.optimizer);
  return sgd != nullptr && sgd->momentum == 0 && sgd->weight_decay == 0;
}

StepOptimizer::StepOptimizer(const std::vector<NamedTensor>& tensors,
                             const TrainingConfig& training)
    : training_(training), scaler_(training.precision) {
  std::vector<at::Tensor> embeddings;
  std::vector<at::Tensor> decoder;
  for (const NamedTensor& tensor : tensors) {
    if (tensor.role != TensorRole::kTrainable) continue;
    parameters_.push_back(tensor.value);
    (BelongsToDecoder(tensor.name) ? decoder : embeddings)
        .push_back(tensor.value);
  }
  Groups groups;
  groups.emplace_back(std::move(embeddings));
  groups.emplace_back(std::move(decoder));
  rate_factors_ = {1, training.decoder_learning_rate_factor};
  optimizer_ = std::visit(
      [&](const auto& config) { return MakeOptimizer(groups, config); },
      training.optimizer);
}

void StepOptimizer::Step(float learning_rate) {
  const at::NoGradGuard no_grad;
  const std::vector<at::Tensor> gradients = Gradients();
  if (!scaler_.Unscale(gradients)) return;
  if (training_.max_grad_norm) Clip(gradients, *training_.max_grad_norm);
  for (size_t i = 0; i < rate_factors_.size(); ++i) {
    optimizer_->param_groups()[i].options().set_lr(double{learning_rate} *
                                                   rate_factors_[i]);
  }
  optimizer_->step();
}

// Of a sparse gradient the values of its rows, every row listed once.
std::vector<at::Tensor> StepOptimizer::Gradients() {
  std::vector<at::Tensor> gradients;
  for (at::Tensor& parameter : parameters_) {
    at::Tensor& gradient = parameter.mutable_grad();
    if (!gradient.defined()) continue;
    if (gradient.is_sparse()) gradient = SumRepeatedRows(gradient);
    gradients.push_back(gradient.is_sparse() ? gradient._values() : gradient);
  }
  return gradients;
}

}  // namespace meanfield

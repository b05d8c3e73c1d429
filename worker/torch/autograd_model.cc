#include "worker/torch/autograd_model.h"

#include <ATen/ops/clamp.h>
#include <ATen/ops/stack.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include <cstring>
#include <utility>
#include <variant>

#include "common/base/check.h"
#include "common/base/status.h"
#include "worker/torch/net.h"
#include "worker/torch/sparse_bag.h"
#include "worker/torch/sparse_rows.h"

namespace meanfield {
namespace {

using torch::optim::Optimizer;

at::Device TorchDevice(const Device& device) {
  if (!device.gpu) return at::Device(at::kCPU);
  return at::Device(at::kCUDA, static_cast<at::DeviceIndex>(*device.gpu));
}

DType DTypeOfTensor(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kFloat:
      return DType::kF32;
    case at::kDouble:
      return DType::kF64;
    case at::kLong:
      return DType::kI64;
    case at::kInt:
      return DType::kI32;
    default:
      MEANFIELD_CHECK(false, "a net holds a tensor of an unexpected dtype");
  }
}

std::unique_ptr<Optimizer> MakeOptimizer(std::vector<at::Tensor> parameters,
                                         const SgdConfig& config) {
  constexpr double kSetBeforeEachStep = 0.1;
  return std::make_unique<torch::optim::SGD>(
      std::move(parameters), torch::optim::SGDOptions(kSetBeforeEachStep)
                                 .momentum(config.momentum)
                                 .weight_decay(config.weight_decay)
                                 .nesterov(config.nesterov));
}

std::unique_ptr<Optimizer> MakeOptimizer(std::vector<at::Tensor> parameters,
                                         const AdamConfig& config) {
  if (config.decoupled_weight_decay) {
    return std::make_unique<torch::optim::AdamW>(
        std::move(parameters), torch::optim::AdamWOptions()
                                   .betas({config.beta1, config.beta2})
                                   .eps(config.eps)
                                   .weight_decay(config.weight_decay));
  }
  return std::make_unique<torch::optim::Adam>(
      std::move(parameters), torch::optim::AdamOptions()
                                 .betas({config.beta1, config.beta2})
                                 .eps(config.eps)
                                 .weight_decay(config.weight_decay));
}

class AutogradModel : public LocalModel {
 public:
  AutogradModel(std::unique_ptr<Net> net, const TrainingConfig& training)
      : net_(std::move(net)), training_(training) {
    for (const NamedTensor& tensor : net_->tensors()) {
      if (tensor.role == TensorRole::kTrainable) {
        parameters_.push_back(tensor.value);
      }
    }
    optimizer_ = std::visit(
        [&](const auto& config) { return MakeOptimizer(parameters_, config); },
        training.optimizer);
  }

  std::vector<TensorSpec> Specs() const override;
  void Load(const SafetensorsFile& weights) override;
  absl::Status Save(const std::string& path) const override;
  LossSum Step(const Batch& batch, float learning_rate) override;
  void Predict(const Batch& batch, Predictions& predictions) override;

 private:
  // A row of a sparse gradient that was used twice is listed twice.
  void SumDuplicateRows();
  // Global L2 norm, as PyTorch's clip_grad_norm_; but that one (LibTorch 2.11)
  // leaves sparse gradients as they are.
  void ClipGradients(double max_norm);

  const std::unique_ptr<Net> net_;
  const TrainingConfig training_;
  std::vector<at::Tensor> parameters_;
  std::unique_ptr<Optimizer> optimizer_;
};

std::vector<TensorSpec> AutogradModel::Specs() const {
  std::vector<TensorSpec> specs;
  for (const auto& [name, value, role] : net_->tensors()) {
    specs.push_back({.name = name,
                     .dtype = DTypeOfTensor(value),
                     .shape = value.sizes().vec(),
                     .role = role});
  }
  return specs;
}

void AutogradModel::Load(const SafetensorsFile& weights) {
  const at::NoGradGuard no_grad;
  for (const NamedTensor& tensor : net_->tensors()) {
    const TensorView* view = weights.Find(tensor.name);
    MEANFIELD_CHECK(view != nullptr, tensor.name);
    // Only read from.
    void* bytes = const_cast<std::byte*>(view->bytes.data());
    tensor.value.copy_(
        at::from_blob(bytes, tensor.value.sizes(),
                      at::TensorOptions(tensor.value.scalar_type())));
  }
}

absl::Status AutogradModel::Save(const std::string& path) const {
  const at::NoGradGuard no_grad;
  MEANFIELD_ASSIGN_OR_RETURN(SafetensorsWriter writer,
                             SafetensorsWriter::Create(path, Specs()));
  for (const NamedTensor& tensor : net_->tensors()) {
    at::from_blob(writer.Mutable(tensor.name).data(), tensor.value.sizes(),
                  at::TensorOptions(tensor.value.scalar_type()))
        .copy_(tensor.value);
  }
  return writer.Finish();
}

LossSum AutogradModel::Step(const Batch& batch, float learning_rate) {
  // Nothing to learn from empty sequences: no gradient, no step.
  if (batch.num_items == 0) return {};
  const bool mean = training_.loss == LossReduction::kMean;
  const ItemScores items = net_->Forward(batch, Mode::kTraining);
  const at::Tensor loss =
      at::cross_entropy_loss(items.scores, items.targets, /*weight=*/{},
                             mean ? at::Reduction::Mean : at::Reduction::Sum);
  optimizer_->zero_grad();
  loss.backward();
  SumDuplicateRows();
  if (training_.max_grad_norm) ClipGradients(*training_.max_grad_norm);
  for (auto& group : optimizer_->param_groups()) {
    group.options().set_lr(learning_rate);
  }
  optimizer_->step();
  const double value = loss.item<float>();
  return {.sum = mean ? value * static_cast<double>(batch.num_items) : value,
          .count = batch.num_items};
}

void AutogradModel::SumDuplicateRows() {
  for (at::Tensor& parameter : parameters_) {
    at::Tensor& gradient = parameter.mutable_grad();
    if (gradient.defined() && gradient.is_sparse()) {
      gradient = SumRepeatedRows(gradient);
    }
  }
}

void AutogradModel::ClipGradients(double max_norm) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> gradients;
  std::vector<at::Tensor> norms;
  for (const at::Tensor& parameter : parameters_) {
    const at::Tensor& gradient = parameter.grad();
    if (!gradient.defined()) continue;
    gradients.push_back(gradient.is_sparse() ? gradient._values() : gradient);
    norms.push_back(gradients.back().norm());
  }
  const at::Tensor norm = at::stack(norms).norm();
  const at::Tensor coefficient =
      at::clamp(max_norm / (norm + 1e-6), std::nullopt, 1.0);
  for (at::Tensor& gradient : gradients) gradient.mul_(coefficient);
}

void AutogradModel::Predict(const Batch& batch, Predictions& predictions) {
  predictions = {};
  if (batch.num_items == 0) return;
  const at::InferenceMode inference;
  const ItemScores items = net_->Forward(batch, Mode::kEvaluation);
  const at::Tensor log_probabilities = at::log_softmax(items.scores, 1);
  const auto [best, classes] = at::max(log_probabilities, 1);
  const at::Tensor probabilities = best.exp().cpu();
  const at::Tensor winners = classes.cpu();
  const bool with_loss = items.targets.defined();
  const at::Tensor losses = with_loss
                                ? at::nll_loss(log_probabilities, items.targets,
                                               {}, at::Reduction::None)
                                      .cpu()
                                : at::Tensor();
  predictions.classes.resize(batch.num_items);
  predictions.probabilities.resize(batch.num_items);
  predictions.losses.resize(with_loss ? batch.num_items : 0);
  for (int64_t row = 0; row < batch.num_items; ++row) {
    const int64_t item =
        items.item_of_row.empty() ? row : items.item_of_row[row];
    predictions.classes[item] =
        static_cast<int32_t>(winners.const_data_ptr<int64_t>()[row]);
    predictions.probabilities[item] =
        probabilities.const_data_ptr<float>()[row];
    if (with_loss) {
      predictions.losses[item] = losses.const_data_ptr<float>()[row];
    }
  }
}

// A sparse gradient is a list of the rows used. On a GPU the dense one costs
// little and is summed in a fixed order.
EmbeddingGradient GradientFor(const TrainingConfig& training,
                              at::Device device) {
  return device.is_cpu() && SparseBag::Supports(training)
             ? EmbeddingGradient::kSparse
             : EmbeddingGradient::kDense;
}

std::unique_ptr<Net> MakeNet(const ModelConfig& config,
                             const TrainingConfig& training,
                             at::Device device) {
  if (const auto* bag = std::get_if<TextClassifierConfig>(&config.model)) {
    return MakeBagNet(*bag, device);
  }
  return MakeSequenceTaggerNet(std::get<SequenceTaggerConfig>(config.model),
                               device, GradientFor(training, device));
}

}  // namespace

std::unique_ptr<LocalModel> MakeAutogradModel(const ModelConfig& config,
                                              const TrainingConfig& training,
                                              const Device& device) {
  return std::make_unique<AutogradModel>(
      MakeNet(config, training, TorchDevice(device)), training);
}

std::unique_ptr<LocalModel> MakeInitialModel(const ModelConfig& config) {
  const TrainingConfig unused;
  std::unique_ptr<Net> net = MakeNet(config, unused, at::Device(at::kCPU));
  net->Initialize();
  return std::make_unique<AutogradModel>(std::move(net), unused);
}

}  // namespace meanfield

#include "worker/torch/autograd_model.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full_like.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/check.h"
#include "common/base/status.h"
#include "worker/torch/autocast.h"
#include "worker/torch/batch_slice.h"
#include "worker/torch/loss_divisor.h"
#include "worker/torch/net.h"
#include "worker/torch/optimizer.h"

namespace meanfield {
namespace {

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

TensorSpec SpecOf(const NamedTensor& tensor) {
  return {.name = tensor.name,
          .dtype = DTypeOfTensor(tensor.value),
          .shape = tensor.value.sizes().vec(),
          .role = tensor.role};
}

const TensorView* FindIn(const std::vector<const SafetensorsFile*>& files,
                         std::string_view name) {
  for (const SafetensorsFile* file : files) {
    if (const TensorView* view = file->Find(name)) return view;
  }
  return nullptr;
}

// The bytes as a tensor like `like`, without a copy.
at::Tensor Alias(void* bytes, const at::Tensor& like) {
  return at::from_blob(bytes, like.sizes(),
                       at::TensorOptions(like.scalar_type()));
}

class AutogradModel : public LocalModel {
 public:
  AutogradModel(std::unique_ptr<Net> net, const ModelConfig& config,
                const TrainingConfig& training, at::Device device)
      : net_(std::move(net)),
        config_(config),
        training_(training),
        device_(device),
        optimizer_(net_->tensors(), training) {}

  std::vector<TensorSpec> Specs() const override;
  void Load(const std::vector<const SafetensorsFile*>& files) override;
  absl::Status Save(const std::string& path) const override;
  LossSum Step(const Batch& batch, float learning_rate) override;
  void Predict(const Batch& batch, Predictions& predictions) override;

 private:
  // Adds the gradients of the batch's loss, times `scale`, to those that are
  // there. Returns the loss.
  at::Tensor Backward(const Batch& batch, double scale);

  const std::unique_ptr<Net> net_;
  const ModelConfig config_;
  const TrainingConfig training_;
  const at::Device device_;
  StepOptimizer optimizer_;
};

std::vector<TensorSpec> AutogradModel::Specs() const {
  std::vector<TensorSpec> specs;
  for (const NamedTensor& tensor : net_->tensors()) {
    specs.push_back(SpecOf(tensor));
  }
  return specs;
}

void AutogradModel::Load(const std::vector<const SafetensorsFile*>& files) {
  const at::NoGradGuard no_grad;
  for (const auto& [name, value, role] : net_->tensors()) {
    const TensorView* view = FindIn(files, name);
    if (view == nullptr) continue;
    // Only read from.
    void* bytes = const_cast<std::byte*>(view->bytes.data());
    if (role == TensorRole::kFrozen && device_.is_cpu()) {
      // Word vectors may be larger than all else: no copy of them.
      value.set_data(Alias(bytes, value));
    } else {
      value.copy_(Alias(bytes, value));
    }
  }
}

absl::Status AutogradModel::Save(const std::string& path) const {
  const at::NoGradGuard no_grad;
  std::vector<TensorSpec> specs = Specs();
  std::erase_if(specs, [](const TensorSpec& spec) {
    return spec.role == TensorRole::kFrozen;
  });
  MEANFIELD_ASSIGN_OR_RETURN(SafetensorsWriter writer,
                             SafetensorsWriter::Create(path, specs));
  for (const auto& [name, value, role] : net_->tensors()) {
    if (role == TensorRole::kFrozen) continue;
    Alias(writer.Mutable(name).data(), value).copy_(value);
  }
  return writer.Finish();
}

LossSum AutogradModel::Step(const Batch& batch, float learning_rate) {
  // Nothing to learn from empty sequences: no gradient, no step.
  if (batch.num_items == 0) return {};
  optimizer_.ForgetGradients();
  double scale = optimizer_.loss_scale();
  if (training_.loss == LossReduction::kMean) {
    scale /= LossDivisor(config_, batch);
  }
  std::vector<at::Tensor> losses;  // read at the end: reading waits for a GPU
  const int64_t pass = training_.micro_batch_size.value_or(batch.size());
  if (pass >= batch.size()) {
    losses.push_back(Backward(batch, scale));
  } else {
    for (int64_t first = 0; first < batch.size(); first += pass) {
      const Batch slice =
          SliceBatch(batch, first, std::min(first + pass, batch.size()));
      if (slice.num_items > 0) losses.push_back(Backward(slice, scale));
    }
  }
  optimizer_.Step(learning_rate);
  LossSum loss{.count = batch.num_items};
  for (const at::Tensor& part : losses) loss.sum += part.item<float>();
  return loss;
}

at::Tensor AutogradModel::Backward(const Batch& batch, double scale) {
  at::Tensor loss;
  {
    const Autocast autocast(device_, training_.precision);
    loss = net_->Loss(batch);
  }
  loss.backward(at::full_like(loss, scale));
  return loss.detach();
}

void AutogradModel::Predict(const Batch& batch, Predictions& predictions) {
  predictions = {};
  if (batch.num_items == 0) return;
  const c10::InferenceMode inference;
  net_->Predict(batch, predictions);
}

// A sparse gradient is a list of the rows used. On a GPU the dense one costs
// little and is summed in a fixed order.
EmbeddingGradient GradientFor(const TrainingConfig& training,
                              at::Device device) {
  return device.is_cpu() && LeavesUnusedRowsAlone(training)
             ? EmbeddingGradient::kSparse
             : EmbeddingGradient::kDense;
}

std::unique_ptr<Net> MakeNet(const ModelConfig& config,
                             const TrainingConfig& training,
                             at::Device device) {
  const EmbeddingGradient gradient = GradientFor(training, device);
  const auto* classifier = std::get_if<TextClassifierConfig>(&config.model);
  if (classifier == nullptr) {
    return MakeSequenceTaggerNet(std::get<SequenceTaggerConfig>(config.model),
                                 device, gradient);
  }
  if (std::holds_alternative<BagConfig>(classifier->document)) {
    return MakeBagNet(*classifier, device);
  }
  return MakeRecurrentClassifierNet(*classifier, device, gradient);
}

std::unique_ptr<LocalModel> Make(const ModelConfig& config,
                                 const TrainingConfig& training,
                                 at::Device device, bool initialize) {
  std::unique_ptr<Net> net = MakeNet(config, training, device);
  if (initialize) net->Initialize();
  return std::make_unique<AutogradModel>(std::move(net), config, training,
                                         device);
}

}  // namespace

std::unique_ptr<LocalModel> MakeAutogradModel(const ModelConfig& config,
                                              const TrainingConfig& training,
                                              const Device& device) {
  return Make(config, training, TorchDevice(device), /*initialize=*/false);
}

std::unique_ptr<LocalModel> MakeInitialModel(const ModelConfig& config) {
  return Make(config, {}, at::Device(at::kCPU), /*initialize=*/true);
}

}  // namespace meanfield

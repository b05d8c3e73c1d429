#ifndef MEANFIELD_WORKER_TORCH_NET_H_
#define MEANFIELD_WORKER_TORCH_NET_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/model/model_config.h"
#include "common/model/training_config.h"
#include "common/tensor/tensor_spec.h"
#include "worker/torch/batch.h"
#include "worker/torch/local_model.h"

namespace meanfield {

struct NamedTensor {
  std::string name;
  at::Tensor value;
  TensorRole role = TensorRole::kTrainable;
};

enum class EmbeddingGradient { kDense, kSparse };

// A model as tensors on one device and the function that they compute.
class Net {
 public:
  virtual ~Net() = default;

  // In the order of registration; the handles share storage with the net.
  const std::vector<NamedTensor>& tensors() const { return tensors_; }

  // Draws the first weights from LibTorch's default generator.
  virtual void Initialize() = 0;
  // In training mode: the sum of the items' losses, with its graph. A batch has
  // one item at least. (AutogradModel divides it for LossReduction::kMean,
  // after all passes of a step.)
  virtual at::Tensor Loss(const Batch& batch) = 0;
  // In evaluation mode, under the caller's inference guard.
  virtual void Predict(const Batch& batch, Predictions& predictions) = 0;

 protected:
  explicit Net(at::Device device) : device_(device) {}
  // Uninitialised, of floats.
  at::Tensor AddTensor(std::string name, at::IntArrayRef shape,
                       TensorRole role = TensorRole::kTrainable);
  // The batch's numbers as an I64 tensor on the device.
  at::Tensor ToDevice(const std::vector<int64_t>& values) const;

  const at::Device device_;

 private:
  std::vector<NamedTensor> tensors_;
};

// A text classifier whose document is a bag.
std::unique_ptr<Net> MakeBagNet(const TextClassifierConfig& config,
                                at::Device device);
// A text classifier whose document is an RNN's output. kSparse, here and below,
// is for optimizers that touch only the rows of the batch.
std::unique_ptr<Net> MakeRecurrentClassifierNet(
    const TextClassifierConfig& config, at::Device device,
    EmbeddingGradient gradient);
std::unique_ptr<Net> MakeSequenceTaggerNet(const SequenceTaggerConfig& config,
                                           at::Device device,
                                           EmbeddingGradient gradient);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_NET_H_

#ifndef MEANFIELD_WORKER_TORCH_RNN_H_
#define MEANFIELD_WORKER_TORCH_RNN_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "common/model/model_config.h"

namespace meanfield {

// An LSTM or GRU with PyTorch's tensors and gate order, over sequences in
// packed order (PackedBatch): no step is computed for padding.
class PackedRnn {
 public:
  // Makes an uninitialised trainable tensor of the model.
  using AddTensor =
      absl::FunctionRef<at::Tensor(std::string name, at::IntArrayRef shape)>;

  // Tensors are named `prefix` + "weight_ih_l0" and so on.
  PackedRnn(const RnnConfig& config, int64_t input_size,
            std::string_view prefix, AddTensor add);

  // U(±1/√hidden), drawn from LibTorch's default generator.
  void Initialize();

  // rows [R, input_size] in packed order -> [R, output_size()]: the outputs of
  // the last layer, of the forward direction before those of the reverse one.
  // `batch_sizes`: sequences that reach position t, falling; they add up to R,
  // which is above 0. Training drops half of the values between layers.
  at::Tensor Forward(const at::Tensor& rows,
                     const std::vector<int64_t>& batch_sizes,
                     bool training) const;

  int64_t output_size() const { return directions() * config_.hidden_size; }

 private:
  // On the CPU.
  at::Tensor LayerByLayer(at::Tensor rows,
                          const std::vector<int64_t>& batch_sizes,
                          bool training) const;
  int64_t directions() const { return config_.bidirectional ? 2 : 1; }

  const RnnConfig config_;
  std::vector<at::Tensor> tensors_;  // in PyTorch's order
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_RNN_H_

#include "worker/torch/rnn.h"

#include <ATen/Functions.h>

#include <cmath>
#include <tuple>

#include "common/base/strings.h"
#include "worker/torch/packed_gru.h"
#include "worker/torch/packed_lstm.h"

namespace meanfield {
namespace {

constexpr double kDropoutBetweenLayers = 0.5;  // where there are several

int64_t NumGates(RnnType type) { return type == RnnType::kLstm ? 4 : 3; }

}  // namespace

PackedRnn::PackedRnn(const RnnConfig& config, int64_t input_size,
                     std::string_view prefix, AddTensor add)
    : config_(config) {
  const int64_t hidden = config.hidden_size;
  const int64_t gates = NumGates(config.type) * hidden;
  for (int64_t layer = 0; layer < config.num_layers; ++layer) {
    const int64_t input = layer == 0 ? input_size : output_size();
    for (int64_t direction = 0; direction < directions(); ++direction) {
      const std::string suffix =
          StrCat("_l", layer, direction == 0 ? "" : "_reverse");
      const auto add_tensor = [&](std::string_view name,
                                  at::IntArrayRef shape) {
        tensors_.push_back(add(StrCat(prefix, name, suffix), shape));
      };
      add_tensor("weight_ih", {gates, input});
      add_tensor("weight_hh", {gates, hidden});
      add_tensor("bias_ih", {gates});
      add_tensor("bias_hh", {gates});
    }
  }
}

void PackedRnn::Initialize() {
  const double bound = 1 / std::sqrt(static_cast<double>(config_.hidden_size));
  for (const at::Tensor& tensor : tensors_) {
    tensor.data().uniform_(-bound, bound);
  }
}

at::Tensor PackedRnn::Forward(const at::Tensor& rows,
                              const std::vector<int64_t>& batch_sizes,
                              bool training) const {
  if (rows.is_cpu()) return LayerByLayer(rows, batch_sizes, training);
  const at::Tensor sizes = at::tensor(batch_sizes, at::kLong);  // on the CPU
  const at::Tensor zero = at::zeros({config_.num_layers * directions(),
                                     batch_sizes.front(), config_.hidden_size},
                                    rows.options());
  const double dropout = config_.num_layers > 1 ? kDropoutBetweenLayers : 0;
  if (config_.type == RnnType::kGru) {
    return std::get<0>(at::gru(rows, sizes, zero, tensors_,
                               /*has_biases=*/true, config_.num_layers, dropout,
                               training, config_.bidirectional));
  }
  return std::get<0>(at::lstm(rows, sizes, {zero, zero}, tensors_,
                              /*has_biases=*/true, config_.num_layers, dropout,
                              training, config_.bidirectional));
}

at::Tensor PackedRnn::LayerByLayer(at::Tensor rows,
                                   const std::vector<int64_t>& batch_sizes,
                                   bool training) const {
  const at::TensorList tensors = tensors_;
  const size_t of_layer = tensors.size() / config_.num_layers;
  for (int64_t layer = 0; layer < config_.num_layers; ++layer) {
    if (layer > 0) rows = at::dropout(rows, kDropoutBetweenLayers, training);
    const at::TensorList weights = tensors.slice(layer * of_layer, of_layer);
    rows = config_.type == RnnType::kLstm
               ? PackedLstmLayer(rows, batch_sizes, weights)
               : PackedGruLayer(rows, batch_sizes, weights);
  }
  return rows;
}

}  // namespace meanfield

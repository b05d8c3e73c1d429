#include "worker/torch/packed_gru.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <array>
#include <utility>

#include "worker/torch/gru_kernels.h"
#include "worker/torch/packed_layer.h"
#include "worker/torch/packed_matrix.h"
#include "worker/torch/packed_steps.h"

namespace meanfield {
namespace {

using Kept = std::array<at::Tensor, 2>;
using SumGradients = std::pair<at::Tensor, at::Tensor>;

// What the backward pass needs of one direction; it turns both into gradients.
struct Direction {
  at::Tensor of_input;   // [R, 3h]: the gates
  at::Tensor of_hidden;  // [R, 3h]: sums of the hidden state before
};

Direction Walk(const at::Tensor& rows, const std::vector<PackedStep>& steps,
               at::TensorList weights, const at::Tensor& out) {
  const int64_t hidden = weights[1].size(1);
  const PackedMatrix weight_hh(weights[1].contiguous().const_data_ptr<float>(),
                               hidden, 3 * hidden,
                               PackedMatrix::Layout::kTransposed);
  Direction d{.of_input = at::addmm(weights[2], rows, weights[0].t()),
              .of_hidden = weights[3].repeat({rows.size(0), 1})};
  float* of_input = d.of_input.mutable_data_ptr<float>();
  float* of_hidden = d.of_hidden.mutable_data_ptr<float>();
  float* h = out.mutable_data_ptr<float>();
  const int64_t stride = out.stride(0);
  for (const PackedStep& step : steps) {
    weight_hh.MultiplyAdd(h + step.before * stride, stride, step.continued,
                          of_hidden + step.first * 3 * hidden, 3 * hidden);
    for (int64_t i = 0; i < step.count; ++i) {
      const int64_t row = step.first + i;
      GruCell(hidden, of_hidden + row * 3 * hidden,
              i < step.continued ? h + (step.before + i) * stride : nullptr,
              of_input + row * 3 * hidden, h + row * stride);
    }
  }
  return d;
}

void WalkBack(const Direction& d, const std::vector<PackedStep>& steps,
              const at::Tensor& weight_hh, const at::Tensor& out,
              const at::Tensor& dout) {
  const int64_t hidden = weight_hh.size(1);
  const PackedMatrix matrix(weight_hh.contiguous().const_data_ptr<float>(),
                            3 * hidden, hidden, PackedMatrix::Layout::kAsIs);
  int64_t widest = 0;
  for (const PackedStep& step : steps) widest = std::max(widest, step.count);
  const at::Tensor carry = at::empty({widest, hidden}, dout.options());
  float* of_input = d.of_input.mutable_data_ptr<float>();
  float* of_hidden = d.of_hidden.mutable_data_ptr<float>();
  const float* h = out.const_data_ptr<float>();
  const float* grads = dout.const_data_ptr<float>();
  int64_t continues = 0;  // leading sequences that go on after the step
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    for (int64_t i = 0; i < step->count; ++i) {
      const int64_t row = step->first + i;
      GruCellGradient(hidden,
                      i < step->continued
                          ? h + (step->before + i) * out.stride(0)
                          : nullptr,
                      grads + row * dout.stride(0), i < continues,
                      of_input + row * 3 * hidden, of_hidden + row * 3 * hidden,
                      carry.mutable_data_ptr<float>() + i * hidden);
    }
    continues = step->continued;
    matrix.MultiplyAdd(of_hidden + step->first * 3 * hidden, 3 * hidden,
                       continues, carry.mutable_data_ptr<float>(), hidden);
  }
}

struct GruSteps {
  static Kept Forward(const at::Tensor& rows,
                      const std::vector<PackedStep>& steps,
                      at::TensorList weights, const at::Tensor& out) {
    const Direction d = Walk(rows, steps, weights, out);
    return {d.of_input, d.of_hidden};
  }
  static SumGradients Backward(const Kept& kept,
                               const std::vector<PackedStep>& steps,
                               const at::Tensor& weight_hh,
                               const at::Tensor& out, const at::Tensor& dout) {
    const Direction d{.of_input = kept[0], .of_hidden = kept[1]};
    WalkBack(d, steps, weight_hh, out, dout);
    return {d.of_input, d.of_hidden};
  }
};

}  // namespace

at::Tensor PackedGruLayer(const at::Tensor& rows,
                          const std::vector<int64_t>& batch_sizes,
                          at::TensorList weights) {
  return PackedLayer<GruSteps>::apply(rows, batch_sizes, weights);
}

}  // namespace meanfield

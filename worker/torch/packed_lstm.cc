#include "worker/torch/packed_lstm.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "worker/torch/lstm_kernels.h"
#include "worker/torch/packed_layer.h"
#include "worker/torch/packed_matrix.h"
#include "worker/torch/packed_steps.h"

namespace meanfield {
namespace {

using Kept = std::array<at::Tensor, 2>;
using SumGradients = std::pair<at::Tensor, at::Tensor>;

// What the backward pass needs of one direction.
struct Direction {
  at::Tensor gates;  // [R, 4h]
  at::Tensor cells;  // [R, h]
};

Direction Walk(const at::Tensor& rows, const std::vector<PackedStep>& steps,
               at::TensorList weights, const at::Tensor& out) {
  const int64_t hidden = weights[1].size(1);
  const PackedMatrix weight_hh(weights[1].contiguous().const_data_ptr<float>(),
                               hidden, 4 * hidden,
                               PackedMatrix::Layout::kTransposed);
  Direction d{.gates = at::addmm(weights[2] + weights[3], rows, weights[0].t()),
              .cells = at::empty({rows.size(0), hidden}, rows.options())};
  float* gates = d.gates.mutable_data_ptr<float>();
  float* cells = d.cells.mutable_data_ptr<float>();
  float* h = out.mutable_data_ptr<float>();
  const int64_t stride = out.stride(0);
  for (const PackedStep& step : steps) {
    weight_hh.MultiplyAdd(h + step.before * stride, stride, step.continued,
                          gates + step.first * 4 * hidden, 4 * hidden);
    for (int64_t i = 0; i < step.count; ++i) {
      const int64_t row = step.first + i;
      LstmCell(
          hidden,
          i < step.continued ? cells + (step.before + i) * hidden : nullptr,
          gates + row * 4 * hidden, cells + row * hidden, h + row * stride);
    }
  }
  return d;
}

// Turns the gates into d(loss)/d(their sums).
void WalkBack(const Direction& d, const std::vector<PackedStep>& steps,
              const at::Tensor& weight_hh, const at::Tensor& dout) {
  const int64_t hidden = weight_hh.size(1);
  const PackedMatrix matrix(weight_hh.contiguous().const_data_ptr<float>(),
                            4 * hidden, hidden, PackedMatrix::Layout::kAsIs);
  int64_t widest = 0;
  for (const PackedStep& step : steps) widest = std::max(widest, step.count);
  const at::Tensor dh = at::empty({widest, hidden}, d.cells.options());
  const at::Tensor dc = at::zeros({widest, hidden}, d.cells.options());
  float* gates = d.gates.mutable_data_ptr<float>();
  const float* cells = d.cells.const_data_ptr<float>();
  const float* grads = dout.const_data_ptr<float>();
  const int64_t stride = dout.stride(0);
  int64_t with_after = 0;  // leading sequences that dh belongs to
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    for (int64_t i = 0; i < step->count; ++i) {
      const int64_t row = step->first + i;
      LstmCellGradient(
          hidden,
          i < step->continued ? cells + (step->before + i) * hidden : nullptr,
          cells + row * hidden, grads + row * stride,
          i < with_after ? dh.const_data_ptr<float>() + i * hidden : nullptr,
          gates + row * 4 * hidden, dc.mutable_data_ptr<float>() + i * hidden);
    }
    with_after = step->continued;
    matrix.Multiply(gates + step->first * 4 * hidden, 4 * hidden, with_after,
                    dh.mutable_data_ptr<float>(), hidden);
  }
}

struct LstmSteps {
  static Kept Forward(const at::Tensor& rows,
                      const std::vector<PackedStep>& steps,
                      at::TensorList weights, const at::Tensor& out) {
    const Direction d = Walk(rows, steps, weights, out);
    return {d.gates, d.cells};
  }
  static SumGradients Backward(const Kept& kept,
                               const std::vector<PackedStep>& steps,
                               const at::Tensor& weight_hh,
                               const at::Tensor& /*out*/,
                               const at::Tensor& dout) {
    const Direction d{.gates = kept[0], .cells = kept[1]};
    WalkBack(d, steps, weight_hh, dout);
    return {d.gates, d.gates};
  }
};

}  // namespace

at::Tensor PackedLstmLayer(const at::Tensor& rows,
                           const std::vector<int64_t>& batch_sizes,
                           at::TensorList weights) {
  if (rows.is_cpu())
    return PackedLayer<LstmSteps>::apply(rows, batch_sizes, weights);
  const int64_t directions =
      static_cast<int64_t>(weights.size()) / PackedLayer<LstmSteps>::kTensors;
  const at::Tensor zero =
      at::zeros({directions, batch_sizes.front(), weights[1].size(1)},
                rows.options().requires_grad(false));
  return std::get<0>(at::lstm(rows, at::tensor(batch_sizes, at::kLong),
                              {zero, zero}, weights, /*has_biases=*/true,
                              /*num_layers=*/1, /*dropout=*/0, /*train=*/true,
                              directions == 2));
}

}  // namespace meanfield

#include "worker/torch/packed_lstm.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <tuple>

#include "worker/torch/lstm_kernels.h"
#include "worker/torch/packed_matrix.h"
#include "worker/torch/packed_steps.h"

namespace meanfield {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr int64_t kTensors = 4;  // of a direction

// What the backward pass needs of one direction.
struct Direction {
  at::Tensor gates;  // [R, 4h]
  at::Tensor cells;  // [R, h]
};

Direction Forward(const at::Tensor& rows, const std::vector<PackedStep>& steps,
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
void Backward(const Direction& d, const std::vector<PackedStep>& steps,
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

struct LstmLayer : torch::autograd::Function<LstmLayer> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& rows,
                            const std::vector<int64_t>& batch_sizes,
                            at::TensorList weights) {
    const int64_t hidden = weights[1].size(1);
    const int64_t directions = static_cast<int64_t>(weights.size()) / kTensors;
    const at::Tensor input = rows.contiguous();
    at::Tensor out =
        at::empty({rows.size(0), directions * hidden}, rows.options());
    variable_list saved = {input, out};
    for (int64_t k = 0; k < directions; ++k) {
      const at::TensorList mine = weights.slice(k * kTensors, kTensors);
      const Direction d = Forward(input, StepsOf(batch_sizes, k == 1), mine,
                                  out.narrow(1, k * hidden, hidden));
      saved.insert(saved.end(), {d.gates, d.cells, mine[0], mine[1]});
    }
    context->save_for_backward(std::move(saved));
    context->saved_data["batch_sizes"] = batch_sizes;
    return out;
  }

  static variable_list backward(AutogradContext* context,
                                variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const std::vector<int64_t> batch_sizes =
        context->saved_data["batch_sizes"].toIntVector();
    const at::Tensor& rows = saved[0];
    const at::Tensor dout = gradients[0].contiguous();
    at::Tensor drows;
    variable_list result = {at::Tensor(), at::Tensor()};
    for (size_t k = 2; k < saved.size(); k += 4) {
      const Direction d{.gates = saved[k], .cells = saved[k + 1]};
      const at::Tensor& weight_ih = saved[k + 2];
      const int64_t hidden = d.cells.size(1);
      const bool reverse = k > 2;
      const int64_t column = reverse ? hidden : 0;
      const std::vector<PackedStep> steps = StepsOf(batch_sizes, reverse);
      Backward(d, steps, saved[k + 3], dout.narrow(1, column, hidden));
      const at::Tensor dgates = d.gates.t();
      const at::Tensor dbias = d.gates.sum(0);
      result.insert(
          result.end(),
          {at::mm(dgates, rows),
           at::mm(dgates,
                  OutputsBefore(saved[1].narrow(1, column, hidden), steps)),
           dbias, dbias.clone()});
      if (!context->needs_input_grad(0)) continue;
      drows = drows.defined() ? drows.addmm_(d.gates, weight_ih)
                              : at::mm(d.gates, weight_ih);
    }
    result[0] = drows;
    return result;
  }
};

}  // namespace

at::Tensor PackedLstmLayer(const at::Tensor& rows,
                           const std::vector<int64_t>& batch_sizes,
                           at::TensorList weights) {
  if (rows.is_cpu()) return LstmLayer::apply(rows, batch_sizes, weights);
  const int64_t directions = static_cast<int64_t>(weights.size()) / kTensors;
  const at::Tensor zero =
      at::zeros({directions, batch_sizes.front(), weights[1].size(1)},
                rows.options().requires_grad(false));
  return std::get<0>(at::lstm(rows, at::tensor(batch_sizes, at::kLong),
                              {zero, zero}, weights, /*has_biases=*/true,
                              /*num_layers=*/1, /*dropout=*/0, /*train=*/true,
                              directions == 2));
}

}  // namespace meanfield

#include "worker/torch/packed_gru.h"

#include <ATen/Functions.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <utility>

#include "worker/torch/gru_kernels.h"
#include "worker/torch/packed_matrix.h"
#include "worker/torch/packed_steps.h"

namespace meanfield {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr int64_t kTensors = 4;  // of a direction

// What the backward pass needs of one direction; it turns both into gradients.
struct Direction {
  at::Tensor of_input;   // [R, 3h]: the gates
  at::Tensor of_hidden;  // [R, 3h]: sums of the hidden state before
};

Direction Forward(const at::Tensor& rows, const std::vector<PackedStep>& steps,
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

void Backward(const Direction& d, const std::vector<PackedStep>& steps,
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

struct GruLayer : torch::autograd::Function<GruLayer> {
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
      saved.insert(saved.end(), {d.of_input, d.of_hidden, mine[0], mine[1]});
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
      const Direction d{.of_input = saved[k], .of_hidden = saved[k + 1]};
      const at::Tensor& weight_ih = saved[k + 2];
      const at::Tensor& weight_hh = saved[k + 3];
      const int64_t hidden = weight_hh.size(1);
      const bool reverse = k > 2;
      const std::vector<PackedStep> steps = StepsOf(batch_sizes, reverse);
      const at::Tensor out = saved[1].narrow(1, reverse ? hidden : 0, hidden);
      Backward(d, steps, weight_hh, out,
               dout.narrow(1, reverse ? hidden : 0, hidden));
      result.insert(result.end(),
                    {at::mm(d.of_input.t(), rows),
                     at::mm(d.of_hidden.t(), OutputsBefore(out, steps)),
                     d.of_input.sum(0), d.of_hidden.sum(0)});
      if (!context->needs_input_grad(0)) continue;
      drows = drows.defined() ? drows.addmm_(d.of_input, weight_ih)
                              : at::mm(d.of_input, weight_ih);
    }
    result[0] = drows;
    return result;
  }
};

}  // namespace

at::Tensor PackedGruLayer(const at::Tensor& rows,
                          const std::vector<int64_t>& batch_sizes,
                          at::TensorList weights) {
  return GruLayer::apply(rows, batch_sizes, weights);
}

}  // namespace meanfield

#ifndef MEANFIELD_WORKER_TORCH_PACKED_LAYER_H_
#define MEANFIELD_WORKER_TORCH_PACKED_LAYER_H_

#include <ATen/Functions.h>
#include <torch/csrc/autograd/custom_function.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "worker/torch/packed_steps.h"

namespace meanfield {

// What LSTM and GRU layers over packed rows have in common: one or two
// directions, and gradients of the weights that are one matrix product over all
// rows each. A Cell walks through the steps of one direction:
//
//   static Kept Forward(rows, steps, weights, out)
//       fills `out` [R, h]; what Backward needs of it.
//   static SumGradients Backward(kept, steps, weight_hh, out, dout)
//       d(loss)/d(sums), [R, gates·h], of the input's part and of the hidden
//       state's part of the gates; may be one tensor. May use up `kept`.
template <typename Cell>
struct PackedLayer : torch::autograd::Function<PackedLayer<Cell>> {
  using Context = torch::autograd::AutogradContext;
  using Tensors = torch::autograd::variable_list;
  static constexpr int64_t kTensors = 4;  // of a direction

  static at::Tensor forward(Context* context, const at::Tensor& rows,
                            const std::vector<int64_t>& batch_sizes,
                            at::TensorList weights) {
    const int64_t hidden = weights[1].size(1);
    const int64_t directions = static_cast<int64_t>(weights.size()) / kTensors;
    const at::Tensor input = rows.contiguous();
    at::Tensor out =
        at::empty({rows.size(0), directions * hidden}, rows.options());
    Tensors saved = {input, out};
    for (int64_t k = 0; k < directions; ++k) {
      const at::TensorList mine = weights.slice(k * kTensors, kTensors);
      const std::array<at::Tensor, 2> kept =
          Cell::Forward(input, StepsOf(batch_sizes, k == 1), mine,
                        out.narrow(1, k * hidden, hidden));
      saved.insert(saved.end(), {kept[0], kept[1], mine[0], mine[1]});
    }
    context->save_for_backward(std::move(saved));
    context->saved_data["batch_sizes"] = batch_sizes;
    return out;
  }

  static Tensors backward(Context* context, Tensors gradients) {
    const Tensors saved = context->get_saved_variables();
    const std::vector<int64_t> batch_sizes =
        context->saved_data["batch_sizes"].toIntVector();
    const at::Tensor& rows = saved[0];
    const at::Tensor dout = gradients[0].contiguous();
    at::Tensor drows;
    Tensors result = {at::Tensor(), at::Tensor()};
    for (size_t k = 2; k < saved.size(); k += 4) {
      const at::Tensor& weight_ih = saved[k + 2];
      const at::Tensor& weight_hh = saved[k + 3];
      const int64_t hidden = weight_hh.size(1);
      const int64_t column = k > 2 ? hidden : 0;
      const std::vector<PackedStep> steps = StepsOf(batch_sizes, k > 2);
      const at::Tensor out = saved[1].narrow(1, column, hidden);
      const auto [dinput, dhidden] =
          Cell::Backward({saved[k], saved[k + 1]}, steps, weight_hh, out,
                         dout.narrow(1, column, hidden));
      const at::Tensor dbias = dinput.sum(0);
      result.insert(result.end(),
                    {at::mm(dinput.t(), rows),
                     at::mm(dhidden.t(), OutputsBefore(out, steps)), dbias,
                     dhidden.is_same(dinput) ? dbias.clone() : dhidden.sum(0)});
      if (!context->needs_input_grad(0)) continue;
      drows = drows.defined() ? drows.addmm_(dinput, weight_ih)
                              : at::mm(dinput, weight_ih);
    }
    result[0] = drows;
    return result;
  }
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_PACKED_LAYER_H_

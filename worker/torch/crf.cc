#include "worker/torch/crf.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <utility>

#include "worker/torch/crf_kernels.h"

namespace meanfield {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct LossFunction : torch::autograd::Function<LossFunction> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& scores,
                            const at::Tensor& transitions,
                            const PackedBatch& packed,
                            const std::vector<int64_t>& tags) {
    const auto compute = scores.is_cpu() ? CrfByLoops : CrfByTensors;
    CrfGradients result =
        compute(scores, transitions, packed, tags, CrfNeeds::kGradients);
    context->save_for_backward({result.scores.to(scores.scalar_type()),
                                result.transitions.to(at::kFloat)});
    return result.loss.to(at::kFloat);
  }

  static variable_list backward(AutogradContext* context,
                                variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    return {saved[0] * gradients[0], saved[1] * gradients[0], at::Tensor(),
            at::Tensor()};
  }
};

}  // namespace

std::vector<std::vector<int64_t>> RowsOfSequences(const PackedBatch& packed) {
  std::vector<std::vector<int64_t>> rows(packed.samples.size());
  for (int64_t row = 0; row < packed.num_rows(); ++row) {
    rows[packed.sequence_of_row[row]].push_back(row);
  }
  return rows;
}

at::Tensor CrfLoss(const at::Tensor& scores, const at::Tensor& transitions,
                   const PackedBatch& packed,
                   const std::vector<int64_t>& tags) {
  return LossFunction::apply(scores, transitions, packed, tags);
}

CrfGradients CrfByLoops(const at::Tensor& scores, const at::Tensor& transitions,
                        const PackedBatch& packed,
                        const std::vector<int64_t>& tags, CrfNeeds needs) {
  const at::Tensor values = scores.to(at::kFloat).contiguous();
  const float* value = values.const_data_ptr<float>();
  Crf crf(transitions.contiguous().const_data_ptr<float>(),
          transitions.size(0));
  CrfGradients result;
  double loss = 0;
  if (needs == CrfNeeds::kLoss) {
    for (const auto& rows : RowsOfSequences(packed)) {
      loss += crf.Loss(value, rows, tags.data());
    }
  } else {
    result.scores = at::empty_like(values);
    for (const auto& rows : RowsOfSequences(packed)) {
      loss += crf.LossAndGradient(value, rows, tags.data(),
                                  result.scores.mutable_data_ptr<float>());
    }
    result.transitions = at::tensor(crf.TransitionGradient(), at::kDouble)
                             .view(transitions.sizes());
  }
  result.loss = at::scalar_tensor(loss, at::kDouble);
  return result;
}

}  // namespace meanfield

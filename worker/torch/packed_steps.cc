#include "worker/torch/packed_steps.h"

#include <ATen/ops/empty.h>

#include <algorithm>

namespace meanfield {

std::vector<PackedStep> StepsOf(const std::vector<int64_t>& batch_sizes,
                                bool reverse) {
  std::vector<PackedStep> steps;
  int64_t first = 0;
  for (const int64_t count : batch_sizes) {
    steps.push_back({.first = first, .count = count});
    first += count;
  }
  if (reverse) std::reverse(steps.begin(), steps.end());
  for (size_t k = 1; k < steps.size(); ++k) {
    steps[k].before = steps[k - 1].first;
    steps[k].continued = std::min(steps[k].count, steps[k - 1].count);
  }
  return steps;
}

at::Tensor OutputsBefore(const at::Tensor& out,
                         const std::vector<PackedStep>& steps) {
  const int64_t hidden = out.size(1);
  at::Tensor before = at::empty({out.size(0), hidden}, out.options());
  float* to = before.mutable_data_ptr<float>();
  const float* from = out.const_data_ptr<float>();
  for (const PackedStep& step : steps) {
    for (int64_t i = 0; i < step.count; ++i) {
      float* row = to + (step.first + i) * hidden;
      if (i < step.continued) {
        std::copy_n(from + (step.before + i) * out.stride(0), hidden, row);
      } else {
        std::fill_n(row, hidden, 0.0f);
      }
    }
  }
  return before;
}

}  // namespace meanfield

#include "worker/torch/loss_scaler.h"

#include <ATen/ops/isfinite.h>
#include <ATen/ops/stack.h>

#include <vector>

namespace meanfield {

bool LossScaler::Unscale(std::span<const at::Tensor> gradients) {
  if (!enabled_) return true;
  std::vector<at::Tensor> finite;  // looked at once: each look waits for a GPU
  for (const at::Tensor& gradient : gradients) {
    gradient.mul_(1 / scale_);
    finite.push_back(at::isfinite(gradient).all());
  }
  if (!finite.empty() && !at::stack(finite).all().item<bool>()) {
    scale_ /= 2;
    good_steps_ = 0;
    return false;
  }
  if (++good_steps_ == kGrowthInterval) {
    scale_ *= 2;
    good_steps_ = 0;
  }
  return true;
}

}  // namespace meanfield

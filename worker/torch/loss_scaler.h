#ifndef MEANFIELD_WORKER_TORCH_LOSS_SCALER_H_
#define MEANFIELD_WORKER_TORCH_LOSS_SCALER_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include "common/model/training_config.h"

namespace meanfield {

// Keeps the gradients of F16 passes from vanishing: the loss is scaled up
// before a backward pass, the gradients down after it. The scale is halved
// where a gradient overflowed and doubled after kGrowthInterval steps without.
// Other precisions have the range of F32 and need no scale.
class LossScaler {
 public:
  static constexpr double kFirstScale = 65536;
  static constexpr int64_t kGrowthInterval = 2000;

  explicit LossScaler(Precision precision)
      : enabled_(precision == Precision::kF16),
        scale_(enabled_ ? kFirstScale : 1) {}

  double scale() const { return scale_; }
  // Scales gradients down. False where one of them is not
  // finite: the step must be left out then.
  bool Unscale(std::span<const at::Tensor> gradients);

 private:
  const bool enabled_;
  double scale_;
  int64_t good_steps_ = 0;
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_LOSS_SCALER_H_

#include "worker/torch/autocast.h"

#include <ATen/autocast_mode.h>

namespace meanfield {

Autocast::Autocast(c10::Device device, Precision precision)
    : device_(device.type()), enabled_(precision != Precision::kF32) {
  if (!enabled_) return;
  at::autocast::set_autocast_dtype(
      device_, precision == Precision::kBF16 ? at::kBFloat16 : at::kHalf);
  at::autocast::set_autocast_enabled(device_, true);
}

Autocast::~Autocast() {
  if (!enabled_) return;
  at::autocast::set_autocast_enabled(device_, false);
  // Casts of weights, which change with the next step.
  at::autocast::clear_cache();
}

}  // namespace meanfield

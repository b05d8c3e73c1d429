#ifndef MEANFIELD_WORKER_TORCH_AUTOCAST_H_
#define MEANFIELD_WORKER_TORCH_AUTOCAST_H_

#include <c10/core/Device.h>

#include "common/model/training_config.h"

namespace meanfield {

// While it lives, LibTorch computes matrix products and RNNs of `device` in
// `precision`, and what needs the range in F32. For forward passes: backward
// ones follow them. kF32 changes nothing.
class Autocast {
 public:
  Autocast(c10::Device device, Precision precision);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  const c10::DeviceType device_;
  const bool enabled_;
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_AUTOCAST_H_

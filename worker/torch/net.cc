#include "worker/torch/net.h"

#include <ATen/Functions.h>

namespace meanfield {

at::Tensor Net::AddParameter(std::string name, at::IntArrayRef shape) {
  at::Tensor value =
      at::empty(shape, at::TensorOptions(at::kFloat).device(device_));
  value.set_requires_grad(true);
  tensors_.push_back({.name = std::move(name), .value = value});
  return value;
}

at::Tensor Net::ToDevice(const std::vector<int64_t>& values) const {
  // A copy: the batch is overwritten before a GPU has read it.
  return at::tensor(values, at::kLong).to(device_);
}

at::Tensor Net::Targets(const Batch& batch) const {
  if (batch.targets.empty()) return {};
  return ToDevice({batch.targets.begin(), batch.targets.end()});
}

}  // namespace meanfield

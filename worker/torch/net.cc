#include "worker/torch/net.h"

#include <ATen/Functions.h>

namespace meanfield {

at::Tensor Net::AddTensor(std::string name, at::IntArrayRef shape,
                          TensorRole role) {
  at::Tensor value =
      at::empty(shape, at::TensorOptions(at::kFloat).device(device_));
  value.set_requires_grad(role == TensorRole::kTrainable);
  tensors_.push_back({.name = std::move(name), .value = value, .role = role});
  return value;
}

at::Tensor Net::ToDevice(const std::vector<int64_t>& values) const {
  // A copy: the batch is overwritten before a GPU has read it.
  return at::tensor(values, at::kLong).to(device_);
}

}  // namespace meanfield

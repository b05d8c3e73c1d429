#ifndef MEANFIELD_COMMON_TENSOR_TENSOR_SPEC_H_
#define MEANFIELD_COMMON_TENSOR_TENSOR_SPEC_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/tensor/dtype.h"

namespace meanfield {

// How a tensor is treated when a round closes.
enum class TensorRole {
  kTrainable,  // averaged, then through the server optimizer
  kBuffer,     // plain weighted mean (running statistics)
  kCounter,    // integer; the maximum is kept
  kFrozen,     // never sent back
};

struct TensorSpec {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> shape;  // empty: a scalar of one element
  TensorRole role = TensorRole::kTrainable;

  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

// INVALID_ARGUMENT for what comes from outside: no name, a negative size, more
// bytes than 63 bits can count.
absl::Status ValidateTensorSpec(const TensorSpec& spec);

// Of a valid spec.
int64_t NumElements(const TensorSpec& spec);
size_t NumBytes(const TensorSpec& spec);
// "rnn.weight_ih_l0 F32 [1024, 100]"
std::string DebugString(const TensorSpec& spec);

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_TENSOR_TENSOR_SPEC_H_

#ifndef MEANFIELD_COORDINATOR_AGGREGATE_UPDATE_GATE_H_
#define MEANFIELD_COORDINATOR_AGGREGATE_UPDATE_GATE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "common/kernels/fold.h"
#include "common/tensor/safetensors.h"
#include "common/tensor/tensor_spec.h"

namespace meanfield::aggregate {

// Whether `holder` ("the update") of `file` holds exactly the tensors of
// `expected` (frozen ones are never sent back: they are extra).
// INVALID_ARGUMENT "missing: …", "extra: …", "shape: …" or "dtype: …" names the
// first tensor at fault in that order.
absl::Status CheckStructure(const SafetensorsFile& file,
                            const std::vector<TensorSpec>& expected,
                            std::string_view holder);

// Whether a model of these tensors can be averaged: F32 or F64 where a mean is
// taken, integers where a maximum is. INVALID_ARGUMENT names the tensor.
absl::Status CheckRoles(const std::vector<TensorSpec>& specs);

// INVALID_ARGUMENT "nan: …", "inf: …" or "exploded: …" for an element that the
// fold found invalid.
absl::Status InvalidElement(const TensorView& base, const TensorView& update,
                            size_t index);

// The elements of a floating-point tensor for common/kernels.
kernels::FloatView FloatsOf(const TensorView& tensor);

}  // namespace meanfield::aggregate

#endif  // MEANFIELD_COORDINATOR_AGGREGATE_UPDATE_GATE_H_

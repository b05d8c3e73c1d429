#include "common/tensor/tensor_spec.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "common/base/strings.h"

namespace meanfield {

int64_t NumElements(const TensorSpec& spec) {
  if (std::find(spec.shape.begin(), spec.shape.end(), 0) != spec.shape.end()) {
    return 0;
  }
  int64_t elements = 1;
  for (const int64_t size : spec.shape) elements *= size;
  return elements;
}

size_t NumBytes(const TensorSpec& spec) {
  return static_cast<size_t>(NumElements(spec)) * SizeOf(spec.dtype);
}

std::string DebugString(const TensorSpec& spec) {
  return StrCat(spec.name, " ", DTypeName(spec.dtype), " [",
                absl::StrJoin(spec.shape, ", "), "]");
}

absl::Status ValidateTensorSpec(const TensorSpec& spec) {
  if (spec.name.empty()) {
    return absl::InvalidArgumentError(StrCat(
        "a tensor without a name: expected one, it is", DebugString(spec)));
  }
  // All sizes count here, so that strides of an empty tensor fit, too.
  const int64_t limit = std::numeric_limits<int64_t>::max() /
                        static_cast<int64_t>(SizeOf(spec.dtype));
  int64_t elements = 1;
  for (const int64_t size : spec.shape) {
    if (size < 0) {
      return absl::InvalidArgumentError(StrCat(
          "tensor ", DebugString(spec), ": size ", size, " is negative"));
    }
    if (size > 0 && elements > limit / size) {
      return absl::InvalidArgumentError(StrCat(
          "tensor ", DebugString(spec), ": its bytes do not fit 63 bits"));
    }
    elements *= std::max<int64_t>(size, 1);
  }
  return absl::OkStatus();
}

}  // namespace meanfield

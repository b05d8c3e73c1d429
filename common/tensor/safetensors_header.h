#ifndef MEANFIELD_COMMON_TENSOR_SAFETENSORS_HEADER_H_
#define MEANFIELD_COMMON_TENSOR_SAFETENSORS_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/tensor/tensor_spec.h"

namespace meanfield {

inline constexpr size_t kSafetensorsLengthBytes = 8;
inline constexpr uint64_t kMaxSafetensorsHeaderBytes = 100'000'000;
// Canonical files start their data at a multiple of this.
inline constexpr size_t kSafetensorsAlignment = 64;

// One tensor of a header; begin and end are bytes from the start of the data.
struct SafetensorsEntry {
  TensorSpec spec;
  uint64_t begin = 0;
  uint64_t end = 0;
};

// The JSON text of a header, strictly: exactly dtype, shape and data_offsets
// per tensor, no name or key twice, nothing nested deeper; `__metadata__` may
// hold any texts. Entries by offset; their bytes match their shapes and cover
// 0 … data_bytes without gap or overlap. INVALID_ARGUMENT names the tensor.
absl::StatusOr<std::vector<SafetensorsEntry>> ParseSafetensorsHeader(
    std::string_view json, uint64_t data_bytes);

// The tensors in canonical order with their offsets. INVALID_ARGUMENT for names
// that are empty, twice, reserved or not UTF-8, and for impossible shapes.
absl::StatusOr<std::vector<SafetensorsEntry>> LayOutSafetensors(
    std::vector<TensorSpec> specs);

// Length and padded JSON: all that comes before the data.
std::string FormatSafetensorsHeader(
    const std::vector<SafetensorsEntry>& entries);

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_TENSOR_SAFETENSORS_HEADER_H_

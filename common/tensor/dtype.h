#ifndef MEANFIELD_COMMON_TENSOR_DTYPE_H_
#define MEANFIELD_COMMON_TENSOR_DTYPE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace meanfield {

enum class DType { kF64, kF32, kF16, kBF16, kI64, kI32, kI16, kI8, kU8, kBool };

size_t SizeOf(DType dtype);  // bytes of one element
// The name in safetensors: "F32", "BF16", "I64", "BOOL", ...
std::string_view DTypeName(DType dtype);
std::optional<DType> ParseDType(std::string_view name);
bool IsFloat(DType dtype);

// The DType of a C++ element type.
template <typename T>
constexpr DType DTypeOf();
template <>
constexpr DType DTypeOf<double>() {
  return DType::kF64;
}
template <>
constexpr DType DTypeOf<float>() {
  return DType::kF32;
}
template <>
constexpr DType DTypeOf<int64_t>() {
  return DType::kI64;
}
template <>
constexpr DType DTypeOf<int32_t>() {
  return DType::kI32;
}
template <>
constexpr DType DTypeOf<uint8_t>() {
  return DType::kU8;
}

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_TENSOR_DTYPE_H_

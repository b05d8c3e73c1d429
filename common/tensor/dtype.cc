#include "common/tensor/dtype.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "common/base/check.h"

namespace meanfield {
namespace {

struct DTypeFacts {
  DType dtype;
  std::string_view name;
  size_t size;  // bytes
  bool is_float;
};

constexpr std::array<DTypeFacts, 10> kDTypes = {{
    {DType::kF64, "F64", 8, true},
    {DType::kF32, "F32", 4, true},
    {DType::kF16, "F16", 2, true},
    {DType::kBF16, "BF16", 2, true},
    {DType::kI64, "I64", 8, false},
    {DType::kI32, "I32", 4, false},
    {DType::kI16, "I16", 2, false},
    {DType::kI8, "I8", 1, false},
    {DType::kU8, "U8", 1, false},
    {DType::kBool, "BOOL", 1, false},
}};

const DTypeFacts& FactsOf(DType dtype) {
  for (const DTypeFacts& facts : kDTypes) {
    if (facts.dtype == dtype) return facts;
  }
  CheckFailed(__FILE__, __LINE__, "known dtype", "an enumerator is missing");
}

}  // namespace

size_t SizeOf(DType dtype) { return FactsOf(dtype).size; }

std::string_view DTypeName(DType dtype) { return FactsOf(dtype).name; }

std::optional<DType> ParseDType(std::string_view name) {
  for (const DTypeFacts& facts : kDTypes) {
    if (facts.name == name) return facts.dtype;
  }
  return std::nullopt;
}

bool IsFloat(DType dtype) { return FactsOf(dtype).is_float; }

}  // namespace meanfield

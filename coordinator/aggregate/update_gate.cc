#include "coordinator/aggregate/update_gate.h"

#include <cmath>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "common/base/check.h"
#include "common/base/status.h"
#include "common/base/strings.h"

namespace meanfield::aggregate {
namespace {

absl::Status Fault(std::string_view reason, std::string_view text) {
  return absl::InvalidArgumentError(StrCat(reason, ": ", text));
}

absl::Status CheckTensor(const TensorSpec& seen, const TensorSpec& expected,
                         std::string_view holder) {
  if (seen.shape != expected.shape) {
    return Fault("shape", StrCat(holder, " has tensor ", DebugString(seen),
                                 ", expected ", DebugString(expected)));
  }
  if (seen.dtype != expected.dtype) {
    return Fault("dtype", StrCat(holder, " has tensor ", DebugString(seen),
                                 ", expected ", DebugString(expected)));
  }
  return absl::OkStatus();
}

// "rnn.weight[3, 17]"
std::string ElementName(const TensorSpec& spec, size_t index) {
  std::string coordinates;
  for (auto size = spec.shape.rbegin(); size != spec.shape.rend(); ++size) {
    const size_t extent = static_cast<size_t>(*size);
    coordinates =
        StrCat(index % extent, coordinates.empty() ? "" : ", ", coordinates);
    index /= extent;
  }
  return StrCat(spec.name, "[", coordinates, "]");
}

double ElementOf(const TensorView& tensor, size_t index) {
  return tensor.spec.dtype == DType::kF64 ? tensor.As<double>()[index]
                                          : tensor.As<float>()[index];
}

}  // namespace

absl::Status CheckStructure(const SafetensorsFile& file,
                            const std::vector<TensorSpec>& expected,
                            std::string_view holder) {
  std::unordered_map<std::string_view, const TensorSpec*> seen;
  for (const TensorView& tensor : file.tensors()) {
    seen.emplace(tensor.spec.name, &tensor.spec);
  }
  size_t known = 0;
  absl::Status mismatch;
  for (const TensorSpec& spec : expected) {
    if (spec.role == TensorRole::kFrozen) continue;
    const auto found = seen.find(spec.name);
    if (found == seen.end()) {
      return Fault("missing",
                   StrCat(holder, " lacks tensor ", DebugString(spec),
                          "; it has ", file.tensors().size(), " tensors"));
    }
    if (mismatch.ok()) mismatch = CheckTensor(*found->second, spec, holder);
    seen.erase(found);
    ++known;
  }
  if (seen.empty()) return mismatch;
  for (const TensorView& tensor : file.tensors()) {
    if (seen.count(tensor.spec.name) == 0) continue;
    return Fault("extra",
                 StrCat(holder, " has tensor ", DebugString(tensor.spec),
                        ", which is not one of the model's ", known,
                        " tensors that are sent back"));
  }
  return mismatch;
}

absl::Status CheckRoles(const std::vector<TensorSpec>& specs) {
  for (const TensorSpec& spec : specs) {
    const bool averaged =
        spec.role == TensorRole::kTrainable || spec.role == TensorRole::kBuffer;
    if (averaged && spec.dtype != DType::kF32 && spec.dtype != DType::kF64) {
      return Fault("dtype", StrCat("tensor ", DebugString(spec),
                                   " of the global model cannot be averaged: "
                                   "expected F32 or F64"));
    }
    if (spec.role == TensorRole::kCounter && IsFloat(spec.dtype)) {
      return Fault("dtype", StrCat("tensor ", DebugString(spec),
                                   " of the global model is a counter: "
                                   "expected an integer type"));
    }
  }
  return absl::OkStatus();
}

absl::Status InvalidElement(const TensorView& base, const TensorView& update,
                            size_t index) {
  const std::string name = ElementName(update.spec, index);
  const double before = ElementOf(base, index);
  const double after = ElementOf(update, index);
  const std::string change =
      StrCat(name, " is ", after, ", was ", before, " before training");
  switch (kernels::Classify(FloatsOf(update), index)) {
    case kernels::InvalidKind::kNan:
      return Fault("nan", change);
    case kernels::InvalidKind::kInf:
      return Fault("inf", change);
    case kernels::InvalidKind::kExploded:
      break;
  }
  const double limit =
      std::ldexp(kernels::kFoldLimit,
                 -kernels::FoldExponent(kernels::MaxAbs(FloatsOf(base))));
  return Fault("exploded",
               StrCat(change, "; it may change by less than ", limit));
}

kernels::FloatView FloatsOf(const TensorView& tensor) {
  kernels::FloatType type = kernels::FloatType::kF32;
  switch (tensor.spec.dtype) {
    case DType::kF32:
      break;
    case DType::kF64:
      type = kernels::FloatType::kF64;
      break;
    case DType::kF16:
      type = kernels::FloatType::kF16;
      break;
    case DType::kBF16:
      type = kernels::FloatType::kBF16;
      break;
    default:
      MEANFIELD_CHECK(false, DebugString(tensor.spec));
  }
  return {type, tensor.bytes.data(),
          tensor.bytes.size() / kernels::SizeOf(type)};
}

}  // namespace meanfield::aggregate

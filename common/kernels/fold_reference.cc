#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "common/kernels/fold_levels.h"

namespace meanfield::kernels {
namespace {

double ElementOf(FloatView values, size_t i) {
  switch (values.type) {
    case FloatType::kF64:
      return values.As<double>()[i];
    case FloatType::kF16:
      return ToDouble(values.As<Half>()[i]);
    case FloatType::kBF16:
      return ToDouble(values.As<BFloat16>()[i]);
    case FloatType::kF32:
      break;
  }
  return values.As<float>()[i];
}

double SumOfBlock(double (&lanes)[kFoldLanes]) {
  for (size_t width = kFoldLanes / 2; width > 0; width /= 2) {
    for (size_t j = 0; j < width; ++j) lanes[j] += lanes[j + width];
  }
  return lanes[0];
}

}  // namespace

FoldOutcome FoldReference(FloatView base, FloatView update, FoldWeight weight,
                          std::span<uint64_t> sum) {
  const double power = std::ldexp(1.0, weight.exponent);
  const double fraction = std::fabs(weight.fraction);
  FoldOutcome outcome;
  for (size_t block = 0; block < sum.size(); block += kFoldBlock) {
    double lanes[kFoldLanes] = {};
    const size_t end = std::min(sum.size(), block + kFoldBlock);
    for (size_t i = block; i < end; ++i) {
      const double u = (ElementOf(update, i) - ElementOf(base, i)) * power;
      if (!std::isfinite(u) || std::fabs(u) >= kFoldLimit) {
        if (!outcome.first_invalid.has_value()) outcome.first_invalid = i;
        continue;
      }
      lanes[(i - block) % kFoldLanes] += u * u;
      const uint64_t term = std::llrint(fraction * u);
      sum[i] = weight.fraction < 0 ? sum[i] - term : sum[i] + term;
    }
    outcome.squares += SumOfBlock(lanes);
  }
  return outcome;
}

}  // namespace meanfield::kernels

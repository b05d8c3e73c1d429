#include "common/kernels/fold.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "common/kernels/fold_levels.h"
#include "common/kernels/fold_loop.h"

namespace meanfield::kernels {

#if defined(MEANFIELD_FOLD_AVX2)
FoldOutcome FoldAvx2(FloatView base, FloatView update, FoldWeight weight,
                     std::span<uint64_t> sum);
#endif

namespace {

// The magnitude of IEEE numbers has the order of their bits, NaN above
// infinity; integers have a maximum that vectorises.
template <typename T, typename Bits>
double MaxAbsOf(const T* values, size_t size) {
  Bits largest = 0;
  for (size_t i = 0; i < size; ++i) {
    const Bits magnitude = std::bit_cast<Bits>(values[i]) & (~Bits{0} >> 1);
    largest = std::max(largest, magnitude);
  }
  return std::bit_cast<T>(largest);
}

// double(value), correctly rounded, in operations that vectorise: both halves
// are exact, so only the last addition rounds.
double RoundToDouble(uint64_t value) {
  const uint64_t high_bits = (value >> 32) ^ 0x4530000080000000;  // 2^84 + 2^63
  const uint64_t low_bits = (value & 0xffffffff) | 0x4330000000000000;  // 2^52
  return (std::bit_cast<double>(high_bits) - 0x1.00000801p84) +
         std::bit_cast<double>(low_bits);
}

template <typename T>
void FinishTyped(const T* __restrict base, const uint64_t* __restrict sum,
                 size_t size, double inverse_power, double ratio,
                 T* __restrict mean) {
  for (size_t i = 0; i < size; ++i) {
    const double w0 = base[i];
    const double delta = (RoundToDouble(sum[i]) * inverse_power) * ratio;
    // Not w0 + 0, which would lose the sign of -0.0.
    mean[i] = static_cast<T>(delta == 0 ? w0 : w0 + delta);
  }
}

std::vector<FoldLevel> DetectLevels() {
  std::vector<FoldLevel> levels = {{"baseline", &FoldAny<2>}};
#if defined(MEANFIELD_FOLD_AVX2)
  if (__builtin_cpu_supports("avx2")) levels.push_back({"avx2", &FoldAvx2});
#endif
  return levels;
}

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "common/kernels: %s\n", what);
  std::abort();
}

}  // namespace

const std::vector<FoldLevel>& FoldLevels() {
  static const std::vector<FoldLevel> levels = DetectLevels();
  return levels;
}

double MaxAbs(FloatView values) {
  Require(SizeOf(values.type) >= 4, "MaxAbs takes F32 or F64");
  if (values.type == FloatType::kF64) {
    return MaxAbsOf<double, uint64_t>(values.As<double>(), values.size);
  }
  return MaxAbsOf<float, uint32_t>(values.As<float>(), values.size);
}

int FoldExponent(double max_abs) {
  Require(std::isfinite(max_abs), "FoldExponent of a base that is not finite");
  int exponent = 0;
  const double mantissa = std::frexp(std::max(1.0, max_abs), &exponent);
  return 52 - (mantissa == 0.5 ? exponent - 1 : exponent);
}

bool CanFold(FloatType base, FloatType update) {
  if (base == FloatType::kF64) return update == FloatType::kF64;
  return base == FloatType::kF32 && update != FloatType::kF64;
}

FoldOutcome Fold(FloatView base, FloatView update, FoldWeight weight,
                 std::span<uint64_t> sum) {
  Require(CanFold(base.type, update.type), "no fold for these types");
  Require(base.size == sum.size() && update.size == sum.size(),
          "a fold of tensors of different sizes");
  return FoldLevels().back().fold(base, update, weight, sum);
}

InvalidKind Classify(FloatView update, size_t index) {
  double value = 0;
  switch (update.type) {
    case FloatType::kF64:
      value = update.As<double>()[index];
      break;
    case FloatType::kF32:
      value = update.As<float>()[index];
      break;
    case FloatType::kF16:
      value = ToDouble(update.As<Half>()[index]);
      break;
    case FloatType::kBF16:
      value = ToDouble(update.As<BFloat16>()[index]);
      break;
  }
  if (std::isnan(value)) return InvalidKind::kNan;
  return std::isinf(value) ? InvalidKind::kInf : InvalidKind::kExploded;
}

void FinishMean(FloatView base, std::span<const uint64_t> sum, int exponent,
                double ratio, void* mean) {
  Require(SizeOf(base.type) >= 4, "FinishMean takes F32 or F64");
  Require(base.size == sum.size(), "a mean of another size than its base");
  const double inverse_power = std::ldexp(1.0, -exponent);
  if (base.type == FloatType::kF64) {
    FinishTyped(base.As<double>(), sum.data(), sum.size(), inverse_power, ratio,
                static_cast<double*>(mean));
  } else {
    FinishTyped(base.As<float>(), sum.data(), sum.size(), inverse_power, ratio,
                static_cast<float*>(mean));
  }
}

}  // namespace meanfield::kernels

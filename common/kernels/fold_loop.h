#ifndef MEANFIELD_COMMON_KERNELS_FOLD_LOOP_H_
#define MEANFIELD_COMMON_KERNELS_FOLD_LOOP_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/kernels/fold.h"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

// The vectorised fold, compiled once per instruction set (fold.cc,
// fold_avx2.cc). Everything is in an anonymous namespace: a function compiled
// for AVX2 must never be the copy that another file's call is linked to.
namespace meanfield::kernels {
namespace {

// GCC's and clang's vectors: W doubles or 64-bit integers.
template <size_t W>
struct Vector {
  typedef double Real __attribute__((vector_size(8 * W)));
  typedef int64_t Mask __attribute__((vector_size(8 * W)));
  typedef uint64_t Bits __attribute__((vector_size(8 * W)));
};

template <size_t W, typename T>
[[gnu::always_inline]] inline typename Vector<W>::Real Widen(const T* from) {
  typename Vector<W>::Real wide;
  for (size_t j = 0; j < W; ++j) wide[j] = ToDouble(from[j]);
  return wide;
}

#if defined(__SSE2__)
template <>
[[gnu::always_inline]] inline Vector<2>::Real Widen<2, float>(
    const float* from) {
  double both;
  std::memcpy(&both, from, sizeof both);
  return _mm_cvtps_pd(_mm_castpd_ps(_mm_set_sd(both)));
}
#endif
#if defined(__AVX2__)
template <>
[[gnu::always_inline]] inline Vector<4>::Real Widen<4, float>(
    const float* from) {
  return _mm256_cvtps_pd(_mm_loadu_ps(from));
}
#endif

// kFoldLanes running sums of squares.
template <size_t W>
struct Lanes {
  typename Vector<W>::Real sums[kFoldLanes / W] = {};

  double Total() const {
    double lanes[kFoldLanes];
    std::memcpy(lanes, sums, sizeof lanes);
    for (size_t width = kFoldLanes / 2; width > 0; width /= 2) {
      for (size_t j = 0; j < width; ++j) lanes[j] += lanes[j + width];
    }
    return lanes[0];
  }
};

struct Scale {
  double power;  // 2^e
  double fraction;
};

// Rounds to integers without a conversion instruction (AVX2 has none to int64).
// Adding 1.5·2^84 leaves a multiple of 2^32, whose multiple stands in the low
// bits; the exact rest, at most 2^31, is rounded by adding 1.5·2^52. hi·2^32 is
// even, so ties go to even as in llrint. |x| < 2^62.
template <size_t W>
[[gnu::always_inline]] inline typename Vector<W>::Bits RoundToInteger(
    typename Vector<W>::Real x) {
  using Bits = typename Vector<W>::Bits;
  constexpr uint64_t kBitsOfLow = 0x4338000000000000;  // of 1.5·2^52
  const typename Vector<W>::Real high = x + 0x1.8p84;
  const typename Vector<W>::Real low = (x - (high - 0x1.8p84)) + 0x1.8p52;
  return (reinterpret_cast<Bits>(high) << 32) +
         (reinterpret_cast<Bits>(low) - kBitsOfLow);
}

// One block of kFoldBlock elements; false where a term is invalid.
template <size_t W, typename B, typename U>
[[gnu::always_inline]] inline bool FoldBlock(const B* __restrict base,
                                             const U* __restrict update,
                                             Scale scale,
                                             uint64_t* __restrict sum,
                                             double* squares) {
  using Real = typename Vector<W>::Real;
  using Mask = typename Vector<W>::Mask;
  using Bits = typename Vector<W>::Bits;
  const Mask kMagnitude = Mask{} + INT64_MAX;
  Mask all_valid = ~Mask{};
  Lanes<W> lanes;
  for (size_t row = 0; row < kFoldBlock; row += kFoldLanes) {
    for (size_t j = 0; j < kFoldLanes / W; ++j) {
      const size_t at = row + j * W;
      Real u = (Widen<W>(update + at) - Widen<W>(base + at)) * scale.power;
      const Mask valid = reinterpret_cast<Real>(reinterpret_cast<Mask>(u) &
                                                kMagnitude) < kFoldLimit;
      all_valid &= valid;
      u = reinterpret_cast<Real>(reinterpret_cast<Mask>(u) & valid);
      lanes.sums[j] += u * u;
      Bits total;
      std::memcpy(&total, sum + at, sizeof total);
      total += RoundToInteger<W>(u * scale.fraction);
      std::memcpy(sum + at, &total, sizeof total);
    }
  }
  *squares += lanes.Total();
  for (size_t j = 0; j < W; ++j) {
    if (all_valid[j] == 0) return false;
  }
  return true;
}

template <typename B, typename U>
inline double ScaledDifference(B base, U update, double power) {
  return (ToDouble(update) - ToDouble(base)) * power;
}

// The last, incomplete block.
template <typename B, typename U>
inline bool FoldRest(const B* base, const U* update, size_t size, Scale scale,
                     uint64_t* sum, double* squares) {
  bool all_valid = true;
  Lanes<1> lanes;
  for (size_t i = 0; i < size; ++i) {
    const double u = ScaledDifference(base[i], update[i], scale.power);
    if (!(std::fabs(u) < kFoldLimit)) {
      all_valid = false;
      continue;
    }
    lanes.sums[i % kFoldLanes][0] += u * u;
    sum[i] += static_cast<uint64_t>(std::llrint(u * scale.fraction));
  }
  *squares += lanes.Total();
  return all_valid;
}

template <size_t W, typename B, typename U>
FoldOutcome FoldTyped(FloatView base_view, FloatView update_view,
                      FoldWeight weight, std::span<uint64_t> sum) {
  const B* base = base_view.As<B>();
  const U* update = update_view.As<U>();
  const size_t size = sum.size();
  const Scale scale{std::ldexp(1.0, weight.exponent), weight.fraction};
  FoldOutcome outcome;
  for (size_t at = 0; at < size; at += kFoldBlock) {
    const size_t count = size - at < kFoldBlock ? size - at : kFoldBlock;
    const bool valid = count == kFoldBlock
                           ? FoldBlock<W>(base + at, update + at, scale,
                                          sum.data() + at, &outcome.squares)
                           : FoldRest(base + at, update + at, count, scale,
                                      sum.data() + at, &outcome.squares);
    if (valid || outcome.first_invalid.has_value()) continue;
    size_t i = at;
    while (std::fabs(ScaledDifference(base[i], update[i], scale.power)) <
           kFoldLimit) {
      ++i;
    }
    outcome.first_invalid = i;
  }
  return outcome;
}

template <size_t W>
FoldOutcome FoldAny(FloatView base, FloatView update, FoldWeight weight,
                    std::span<uint64_t> sum) {
  if (base.type == FloatType::kF64) {
    return FoldTyped<W, double, double>(base, update, weight, sum);
  }
  if (update.type == FloatType::kF16) {
    return FoldTyped<W, float, Half>(base, update, weight, sum);
  }
  if (update.type == FloatType::kBF16) {
    return FoldTyped<W, float, BFloat16>(base, update, weight, sum);
  }
  return FoldTyped<W, float, float>(base, update, weight, sum);
}

}  // namespace
}  // namespace meanfield::kernels

#endif  // MEANFIELD_COMMON_KERNELS_FOLD_LOOP_H_

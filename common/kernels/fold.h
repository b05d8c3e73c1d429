#ifndef MEANFIELD_COMMON_KERNELS_FOLD_H_
#define MEANFIELD_COMMON_KERNELS_FOLD_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "common/kernels/float_view.h"

// The exact weighted mean of tensors. Sums of floating-point numbers depend on
// their order; sums of integers do not. So every update becomes integers:
//
//   e    = 52 - ceil(log2(max(1, max|base|)))        FoldExponent(MaxAbs(base))
//   u    = (double(update[i]) - double(base[i])) · 2^e
//   sum += llrint(fraction · u)    in uint64, wrap-around     Fold
//   mean = base[i] + (double(sum) · 2^-e) · ratio, rounded    FinishMean
//
// A term is invalid where u is not finite or |u| >= 2^62; this is tested before
// weighting, so that no sum of terms whose fractions add up to 1 (+ 2^-40)
// leaves int64. An invalid term counts as 0. The opposite sign of the fraction
// takes the same update out again, exactly. sum = 0 gives base's very bits.
//
// Error of a mean of K updates: half an ulp of the result, K/2 · 2^-e for
// rounding the terms, and 2^-51 of the mean |update - base| for rounding the
// weights: for steps of training at most
//   max(ulp / 2, K · 2^-52 · max(1, max|base|)) + ulp / 2.
//
// Every implementation (reference, SSE2, AVX2, CUDA) gives the same bits. They
// need round-to-nearest, no contraction to FMA and no -ffast-math.
namespace meanfield::kernels {

// |u| below this is valid.
inline constexpr double kFoldLimit = 0x1p62;

// The shape of the sum of squares. Lane j of a block adds the squares of its
// elements j, j + kFoldLanes, ... in order; the lanes are added as a binary
// tree; the blocks one after another. So it depends on the numbers only, not on
// who computes which block.
inline constexpr size_t kFoldLanes = 16;
inline constexpr size_t kFoldBlock = 512;

// Largest |element|; infinity or NaN where one of them is not finite. F32, F64.
double MaxAbs(FloatView values);

// The power of two e for a base whose largest magnitude is the finite
// `max_abs`: in [-972, 52].
int FoldExponent(double max_abs);

struct FoldWeight {
  int exponent = 0;     // e
  double fraction = 0;  // n_k / N in (0, 1]; negative: takes the update out
};

struct FoldOutcome {
  std::optional<size_t> first_invalid;
  // Sum of u² over the valid elements: the L2 norm of update - base is
  // sqrt(squares) · 2^-e. Cannot overflow.
  double squares = 0;
};

// Pairs of types with a fold: an update as its base, or F16 / BF16 against F32.
bool CanFold(FloatType base, FloatType update);

// One pass: checks, folds, and measures. `base`, `update` and `sum` have the
// same number of elements; sum is in [-2^62, 2^62] by the rule above.
FoldOutcome Fold(FloatView base, FloatView update, FoldWeight weight,
                 std::span<uint64_t> sum);

enum class InvalidKind { kNan, kInf, kExploded };
// Why `index` is an invalid term of a fold.
InvalidKind Classify(FloatView update, size_t index);

// Writes the mean in base's type (F32 or F64) to `mean`. `ratio` is the planned
// weight by the accepted one: 1 where all are in.
void FinishMean(FloatView base, std::span<const uint64_t> sum, int exponent,
                double ratio, void* mean);

}  // namespace meanfield::kernels

#endif  // MEANFIELD_COMMON_KERNELS_FOLD_H_

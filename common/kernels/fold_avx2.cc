// Compiled with -mavx2; called only where the processor has it.
#if defined(MEANFIELD_FOLD_AVX2)

#include "common/kernels/fold_loop.h"

namespace meanfield::kernels {

FoldOutcome FoldAvx2(FloatView base, FloatView update, FoldWeight weight,
                     std::span<uint64_t> sum);

FoldOutcome FoldAvx2(FloatView base, FloatView update, FoldWeight weight,
                     std::span<uint64_t> sum) {
  return FoldAny<4>(base, update, weight, sum);
}

}  // namespace meanfield::kernels

#endif  // MEANFIELD_FOLD_AVX2

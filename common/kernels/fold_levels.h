#ifndef MEANFIELD_COMMON_KERNELS_FOLD_LEVELS_H_
#define MEANFIELD_COMMON_KERNELS_FOLD_LEVELS_H_

#include <span>
#include <vector>

#include "common/kernels/fold.h"

namespace meanfield::kernels {

using FoldFunction = FoldOutcome (*)(FloatView base, FloatView update,
                                     FoldWeight weight,
                                     std::span<uint64_t> sum);

// The arithmetic written down plainly, one element after another, with llrint.
FoldOutcome FoldReference(FloatView base, FloatView update, FoldWeight weight,
                          std::span<uint64_t> sum);

struct FoldLevel {
  const char* name;  // "baseline", "avx2"
  FoldFunction fold;
};
// The vectorised forms that this processor can run, slowest first; Fold uses
// the last one.
const std::vector<FoldLevel>& FoldLevels();

}  // namespace meanfield::kernels

#endif  // MEANFIELD_COMMON_KERNELS_FOLD_LEVELS_H_

#ifndef MEANFIELD_COMMON_KERNELS_ACCUMULATOR_H_
#define MEANFIELD_COMMON_KERNELS_ACCUMULATOR_H_

#include <memory>

#include "common/kernels/fold.h"
#include "common/kernels/result.h"

namespace meanfield::kernels {

// The running sum of one tensor, on the device that does the arithmetic of
// fold.h. After an Error the sum is unknown: drop the accumulator. Not
// thread-safe.
class Accumulator {
 public:
  virtual ~Accumulator() = default;

  // CanFold(base, update) and equal sizes.
  virtual Result<FoldOutcome> Fold(FloatView update, double fraction) = 0;
  // Writes the mean, of base's type, to host memory.
  virtual Result<Done> Finish(double ratio, void* mean) const = 0;
};

// Where updates are folded. Outlives its accumulators.
class Device {
 public:
  virtual ~Device() = default;

  // A sum of zeros for a finite base (F32 or F64), which outlives it.
  // `exponent`: FoldExponent(MaxAbs(base)).
  virtual Result<std::unique_ptr<Accumulator>> NewAccumulator(FloatView base,
                                                              int exponent) = 0;
};

std::unique_ptr<Device> OpenCpu();
// The GPU `ordinal` (relative to CUDA_VISIBLE_DEVICES). An Error says whether
// this build has no CUDA, or the machine no such device.
Result<std::unique_ptr<Device>> OpenCuda(int ordinal);

}  // namespace meanfield::kernels

#endif  // MEANFIELD_COMMON_KERNELS_ACCUMULATOR_H_

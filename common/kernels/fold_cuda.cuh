#ifndef MEANFIELD_COMMON_KERNELS_FOLD_CUDA_CUH_
#define MEANFIELD_COMMON_KERNELS_FOLD_CUDA_CUH_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "common/kernels/float_view.h"
#include "common/kernels/result.h"

// Launches of the twins of fold.h. All pointers are device memory; each element
// of `sum` and `mean` is owned by one thread. Nothing waits for the stream.
namespace meanfield::kernels {

struct FoldLaunch {
  FloatView base;
  FloatView update;
  double power = 1;  // 2^e
  double fraction = 0;
  uint64_t* sum = nullptr;
  // Sum of squares of each block of kFoldBlock elements.
  double* block_squares = nullptr;
  // Lowered to `first_index` + the first invalid element, if there is one.
  unsigned long long* first_invalid = nullptr;
  size_t first_index = 0;
};
Result<Done> LaunchFold(const FoldLaunch& launch, cudaStream_t stream);

struct FinishLaunch {
  FloatView base;
  const uint64_t* sum = nullptr;
  double inverse_power = 1;  // 2^-e
  double ratio = 1;
  void* mean = nullptr;  // of base's type
};
Result<Done> LaunchFinish(const FinishLaunch& launch, cudaStream_t stream);

}  // namespace meanfield::kernels

#endif  // MEANFIELD_COMMON_KERNELS_FOLD_CUDA_CUH_

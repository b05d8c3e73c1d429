// Compiled with -fmad=false: the bits of fold.cc.
#include "common/kernels/cuda_support.cuh"
#include "common/kernels/fold.h"
#include "common/kernels/fold_cuda.cuh"

namespace meanfield::kernels {
namespace {

constexpr int kThreads = 256;
constexpr unsigned kEveryLane = 0xffffffff;

// kFoldLanes threads share a block of kFoldBlock elements, thread j the lane j;
// a warp holds two such groups.
template <typename B, typename U>
__global__ void FoldKernel(const B* base, const U* update, size_t size,
                           FoldLaunch launch) {
  const size_t thread =
      static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const size_t block = thread / kFoldLanes;
  const size_t end = min(size, (block + 1) * kFoldBlock);
  double squares = 0;
  size_t invalid = SIZE_MAX;
  for (size_t i = block * kFoldBlock + thread % kFoldLanes; i < end;
       i += kFoldLanes) {
    const double u = (ToDouble(update[i]) - ToDouble(base[i])) * launch.power;
    if (!(fabs(u) < kFoldLimit)) {
      invalid = min(invalid, i);
      continue;
    }
    squares += u * u;
    launch.sum[i] += __double2ll_rn(u * launch.fraction);
  }
  for (int width = kFoldLanes / 2; width > 0; width /= 2) {
    squares += __shfl_down_sync(kEveryLane, squares, width, kFoldLanes);
  }
  if (thread % kFoldLanes == 0 && block * kFoldBlock < size) {
    launch.block_squares[block] = squares;
  }
  if (invalid != SIZE_MAX) {
    atomicMin(launch.first_invalid,
              static_cast<unsigned long long>(launch.first_index + invalid));
  }
}

template <typename T>
__global__ void FinishKernel(const T* base, T* mean, size_t size,
                             FinishLaunch launch) {
  const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const double sum = static_cast<int64_t>(launch.sum[i]);
  const double w0 = base[i];
  const double delta = (sum * launch.inverse_power) * launch.ratio;
  mean[i] = static_cast<T>(delta == 0 ? w0 : w0 + delta);
}

unsigned GridOf(size_t threads) {
  return static_cast<unsigned>((threads + kThreads - 1) / kThreads);
}

template <typename B, typename U>
void StartFold(const FoldLaunch& launch, cudaStream_t stream) {
  const size_t size = launch.base.size;
  const size_t blocks = (size + kFoldBlock - 1) / kFoldBlock;
  FoldKernel<<<GridOf(blocks * kFoldLanes), kThreads, 0, stream>>>(
      launch.base.As<B>(), launch.update.As<U>(), size, launch);
}

template <typename T>
void StartFinish(const FinishLaunch& launch, cudaStream_t stream) {
  FinishKernel<<<GridOf(launch.base.size), kThreads, 0, stream>>>(
      launch.base.As<T>(), static_cast<T*>(launch.mean), launch.base.size,
      launch);
}

}  // namespace

Result<Done> LaunchFold(const FoldLaunch& launch, cudaStream_t stream) {
  if (launch.base.type == FloatType::kF64) {
    StartFold<double, double>(launch, stream);
  } else if (launch.update.type == FloatType::kF16) {
    StartFold<float, Half>(launch, stream);
  } else if (launch.update.type == FloatType::kBF16) {
    StartFold<float, BFloat16>(launch, stream);
  } else {
    StartFold<float, float>(launch, stream);
  }
  MEANFIELD_CUDA_RETURN_IF_ERROR(cudaGetLastError());
  return Done();
}

Result<Done> LaunchFinish(const FinishLaunch& launch, cudaStream_t stream) {
  if (launch.base.type == FloatType::kF64) {
    StartFinish<double>(launch, stream);
  } else {
    StartFinish<float>(launch, stream);
  }
  MEANFIELD_CUDA_RETURN_IF_ERROR(cudaGetLastError());
  return Done();
}

}  // namespace meanfield::kernels

#ifndef MEANFIELD_COMMON_KERNELS_CUDA_SUPPORT_CUH_
#define MEANFIELD_COMMON_KERNELS_CUDA_SUPPORT_CUH_

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>

#include "common/kernels/result.h"

namespace meanfield::kernels {

Error CudaError(cudaError_t code, const char* call, const char* file, int line);

// Every call of CUDA goes through this; the enclosing function returns a
// Result.
#define MEANFIELD_CUDA_RETURN_IF_ERROR(call)                         \
  do {                                                               \
    if (const cudaError_t code_ = (call); code_ != cudaSuccess) {    \
      return ::meanfield::kernels::CudaError(code_, #call, __FILE__, \
                                             __LINE__);              \
    }                                                                \
  } while (false)

// Destroying cannot be answered for: at exit the driver may be gone already,
// and with it what would be freed.
struct CudaDeleter {
  void operator()(CUstream_st* stream) const {
    static_cast<void>(cudaStreamDestroy(stream));
  }
  void operator()(CUevent_st* event) const {
    static_cast<void>(cudaEventDestroy(event));
  }
};
struct DeviceFree {
  void operator()(std::byte* bytes) const {
    static_cast<void>(cudaFree(bytes));
  }
};
struct PinnedFree {
  void operator()(std::byte* bytes) const {
    static_cast<void>(cudaFreeHost(bytes));
  }
};
using CudaStream = std::unique_ptr<CUstream_st, CudaDeleter>;
using CudaEvent = std::unique_ptr<CUevent_st, CudaDeleter>;
using DeviceBuffer = std::unique_ptr<std::byte, DeviceFree>;
using PinnedBuffer = std::unique_ptr<std::byte, PinnedFree>;

Result<CudaStream> NewStream();
Result<CudaEvent> NewEvent();
Result<DeviceBuffer> NewDeviceBuffer(size_t bytes);
Result<PinnedBuffer> NewPinnedBuffer(size_t bytes);  // page-locked, host

}  // namespace meanfield::kernels

#endif  // MEANFIELD_COMMON_KERNELS_CUDA_SUPPORT_CUH_

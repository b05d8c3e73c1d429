#include "common/kernels/cuda_support.cuh"

#include <cstring>
#include <string>

namespace meanfield::kernels {

Error CudaError(cudaError_t code, const char* call, const char* file,
                int line) {
  const char* slash = std::strrchr(file, '/');
  if (slash != nullptr) file = slash + 1;
  return Error{std::string(call) + " failed with " + cudaGetErrorName(code) +
               " (" + cudaGetErrorString(code) + ") at " + file + ":" +
               std::to_string(line)};
}

Result<CudaStream> NewStream() {
  cudaStream_t stream = nullptr;
  MEANFIELD_CUDA_RETURN_IF_ERROR(
      cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return CudaStream(stream);
}

Result<CudaEvent> NewEvent() {
  cudaEvent_t event = nullptr;
  MEANFIELD_CUDA_RETURN_IF_ERROR(
      cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return CudaEvent(event);
}

Result<DeviceBuffer> NewDeviceBuffer(size_t bytes) {
  void* memory = nullptr;
  MEANFIELD_CUDA_RETURN_IF_ERROR(cudaMalloc(&memory, bytes));
  return DeviceBuffer(static_cast<std::byte*>(memory));
}

Result<PinnedBuffer> NewPinnedBuffer(size_t bytes) {
  void* memory = nullptr;
  MEANFIELD_CUDA_RETURN_IF_ERROR(cudaMallocHost(&memory, bytes));
  return PinnedBuffer(static_cast<std::byte*>(memory));
}

}  // namespace meanfield::kernels

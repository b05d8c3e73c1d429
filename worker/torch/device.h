#ifndef MEANFIELD_WORKER_TORCH_DEVICE_H_
#define MEANFIELD_WORKER_TORCH_DEVICE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "worker/torch/torch_trainer.h"

namespace meanfield {

// Where a trainer computes. Everything that is particular to GPUs is behind
// this header; without CUDA libraries it compiles, links and finds none.
struct Device {
  std::optional<int> gpu;  // absent: the CPU
  std::string name;        // "cpu", "cuda:0 NVIDIA H200 (GPU-…)"
  std::string numerics_class;
};

// Also sets LibTorch's process-wide switches: one thread, and on a GPU
// deterministic algorithms.
absl::StatusOr<Device> OpenDevice(const DeviceChoice& choice);

// Of this process on the CPU, of the caching allocator on a GPU; since the
// start of the process.
uint64_t PeakMemoryBytes(const Device& device);

// Seeds every generator of LibTorch.
void SeedTorch(uint64_t seed);

// Runs `work`; what LibTorch throws becomes a Status: out of memory is
// RESOURCE_EXHAUSTED and names the device and `memory_advice`, anything else
// INTERNAL.
absl::Status CatchTorchErrors(const Device& device,
                              std::string_view memory_advice,
                              absl::FunctionRef<absl::Status()> work);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_DEVICE_H_

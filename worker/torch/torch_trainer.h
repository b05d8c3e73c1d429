#ifndef MEANFIELD_WORKER_TORCH_TORCH_TRAINER_H_
#define MEANFIELD_WORKER_TORCH_TORCH_TRAINER_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "common/time/clock.h"
#include "worker/trainer/local_trainer.h"

namespace meanfield {

struct DeviceChoice {
  // Absent: the CPU. Otherwise a GPU's number, counted within
  // CUDA_VISIBLE_DEVICES, or its UUID ("GPU-…"); never falls back to the CPU.
  std::optional<std::string> gpu;
};

// The trainer on LibTorch. Pins process-wide settings of LibTorch (one thread;
// deterministic algorithms on a GPU), so a process makes one. Call PinNumerics
// at the start of main as well, or the bits are this host's own.
// FAILED_PRECONDITION when the GPU is not there: the message lists those that
// are. `clock` must outlive the trainer.
absl::StatusOr<std::unique_ptr<LocalTrainer>> MakeTorchTrainer(
    const DeviceChoice& choice, Clock& clock);

// "2.11.0": what this program was built with.
std::string LibTorchVersion();

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_TORCH_TRAINER_H_

#include "coordinator/cli/devices.h"

#include <sched.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "coordinator/cli/gpu_list.h"

namespace meanfield::cli {

namespace {

constexpr int kMaxWorkers = 1024;

std::vector<WorkerCommand> OnCpu(int count) {
  std::vector<WorkerCommand> commands;
  for (int i = 0; i < count; ++i) {
    commands.push_back(
        {.name = absl::StrCat("cpu-", i), .arguments = {"--cpu"}});
  }
  return commands;
}

// By UUID: numbers mean something else under another CUDA_VISIBLE_DEVICES.
std::vector<WorkerCommand> OnGpus(const std::vector<Gpu>& gpus) {
  std::vector<WorkerCommand> commands;
  for (const Gpu& gpu : gpus) {
    commands.push_back({.name = absl::StrCat("gpu-", gpu.id),
                        .arguments = {"--gpu", gpu.uuid},
                        .environment = {"CUDA_DEVICE_ORDER=PCI_BUS_ID"}});
  }
  return commands;
}

}  // namespace

absl::StatusOr<std::vector<WorkerCommand>> ChooseDevices(
    const DeviceChoice& choice, const std::vector<std::string>& gpus_of_job,
    const GpuInventory& present, int cores) {
  if (choice.workers.has_value()) {
    if (!choice.gpus.empty()) {
      return absl::InvalidArgumentError(
          "--workers starts CPU workers and --gpus GPU workers: give one of "
          "them");
    }
    if (*choice.workers < 1 || *choice.workers > kMaxWorkers) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--workers must be 1 to ", kMaxWorkers, ", not ", *choice.workers));
    }
    return OnCpu(*choice.workers);
  }
  const std::vector<std::string>& named =
      choice.gpus.empty() ? gpus_of_job : choice.gpus;
  if (!named.empty()) {
    MEANFIELD_ASSIGN_OR_RETURN(const std::vector<Gpu> gpus,
                               SelectGpus(named, present));
    return OnGpus(gpus);
  }
  if (!present.gpus.empty()) return OnGpus(present.gpus);
  return OnCpu(cores);
}

int UsableCores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof(cores), &cores);
  return std::max(1, CPU_COUNT(&cores));
}

}  // namespace meanfield::cli

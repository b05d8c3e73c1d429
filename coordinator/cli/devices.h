#ifndef MEANFIELD_COORDINATOR_CLI_DEVICES_H_
#define MEANFIELD_COORDINATOR_CLI_DEVICES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/cli/gpu_inventory.h"
#include "coordinator/cli/worker_processes.h"

namespace meanfield::cli {

// What the user said about devices.
struct DeviceChoice {
  std::vector<std::string> gpus;  // values of --gpus; empty: not given
  std::optional<int> workers;     // --workers: so many CPU workers
};

// One worker a device: the GPUs that --gpus (or else the job) names, or so many
// CPU workers, or else every GPU present, or else one CPU worker a core. Named
// GPUs never fall back to the CPU. INVALID_ARGUMENT says what is wrong.
absl::StatusOr<std::vector<WorkerCommand>> ChooseDevices(
    const DeviceChoice& choice, const std::vector<std::string>& gpus_of_job,
    const GpuInventory& present, int cores);

// Cores that this process may use.
int UsableCores();

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_DEVICES_H_

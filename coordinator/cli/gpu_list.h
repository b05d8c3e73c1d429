#ifndef MEANFIELD_COORDINATOR_CLI_GPU_LIST_H_
#define MEANFIELD_COORDINATOR_CLI_GPU_LIST_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/cli/gpu_inventory.h"

namespace meanfield::cli {

// The GPUs that the values of (repeated) --gpus flags name: "0,1,2", "0 1 2",
// "0-3", "all", UUIDs or their beginnings, mixed. INVALID_ARGUMENT for an
// unknown, doubled or malformed entry, and where there is no GPU at all; the
// message lists the GPUs present. Never empty.
absl::StatusOr<std::vector<Gpu>> SelectGpus(
    const std::vector<std::string>& values, const GpuInventory& present);

// "0: NVIDIA H100 80GB (GPU-8a1f…)", one a line, or "no GPU".
std::string ListGpus(const GpuInventory& present);

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_GPU_LIST_H_

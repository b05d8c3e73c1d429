#ifndef MEANFIELD_COORDINATOR_CLI_GPU_INVENTORY_H_
#define MEANFIELD_COORDINATOR_CLI_GPU_INVENTORY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace meanfield::cli {

struct Gpu {
  int id = 0;        // as the user counts: within CUDA_VISIBLE_DEVICES
  std::string uuid;  // "GPU-8a1f…"
  std::string name;
  uint64_t memory_bytes = 0;
};

struct GpuInventory {
  std::string driver;     // version; empty without a driver
  std::vector<Gpu> gpus;  // visible ones, in id order
};

// Asks NVIDIA's management library, loaded at run time, so that the programs
// need no CUDA. No library or no driver is an empty inventory; a driver that
// answers with an error is INTERNAL and says which call failed.
absl::StatusOr<GpuInventory> FindGpus(
    const std::string& library = "libnvidia-ml.so.1");

// What CUDA_VISIBLE_DEVICES leaves, renumbered from 0: numbers in PCI order or
// (beginnings of) UUIDs; as in CUDA, the list ends at the first entry that
// names no GPU. Absent: all.
std::vector<Gpu> VisibleGpus(const std::vector<Gpu>& all,
                             std::optional<absl::string_view> visible_devices);

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_GPU_INVENTORY_H_

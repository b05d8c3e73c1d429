#include "coordinator/cli/gpu_inventory.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/base/status.h"

namespace meanfield::cli {

namespace {

// The part of NVML's C interface that is used; 0 is success everywhere.
using NvmlDevice = void*;
struct NvmlMemory {
  unsigned long long total, free, used;
};

class Nvml {
 public:
  // Null where the library is not installed.
  static std::unique_ptr<Nvml> Load(const std::string& library) {
    void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return nullptr;
    return std::unique_ptr<Nvml>(new Nvml(handle));
  }
  ~Nvml() { dlclose(handle_); }

  // Calls a function of the library; the status names it when it fails.
  template <typename... Args>
  absl::Status Call(const char* function, Args... args) const {
    auto* pointer =
        reinterpret_cast<int (*)(Args...)>(dlsym(handle_, function));
    if (pointer == nullptr) {
      return absl::InternalError(
          absl::StrCat("NVIDIA's management library has no ", function));
    }
    if (const int error = pointer(args...); error != 0) {
      return absl::InternalError(absl::StrCat(function,
                                              " failed with NVML error ", error,
                                              "; does nvidia-smi work?"));
    }
    return absl::OkStatus();
  }

 private:
  explicit Nvml(void* handle) : handle_(handle) {}
  void* handle_;
};

using Text = std::array<char, 96>;

absl::StatusOr<Gpu> Describe(const Nvml& nvml, unsigned index) {
  NvmlDevice device = nullptr;
  Text name{}, uuid{};
  NvmlMemory memory{};
  MEANFIELD_RETURN_IF_ERROR(
      nvml.Call("nvmlDeviceGetHandleByIndex_v2", index, &device));
  MEANFIELD_RETURN_IF_ERROR(nvml.Call("nvmlDeviceGetName", device, name.data(),
                                      static_cast<unsigned>(name.size())));
  MEANFIELD_RETURN_IF_ERROR(nvml.Call("nvmlDeviceGetUUID", device, uuid.data(),
                                      static_cast<unsigned>(uuid.size())));
  MEANFIELD_RETURN_IF_ERROR(
      nvml.Call("nvmlDeviceGetMemoryInfo", device, &memory));
  return Gpu{.id = static_cast<int>(index),
             .uuid = uuid.data(),
             .name = name.data(),
             .memory_bytes = memory.total};
}

absl::StatusOr<GpuInventory> Ask(const Nvml& nvml) {
  GpuInventory inventory;
  Text driver{};
  MEANFIELD_RETURN_IF_ERROR(nvml.Call("nvmlSystemGetDriverVersion",
                                      driver.data(),
                                      static_cast<unsigned>(driver.size())));
  inventory.driver = driver.data();
  unsigned count = 0;
  MEANFIELD_RETURN_IF_ERROR(nvml.Call("nvmlDeviceGetCount_v2", &count));
  for (unsigned index = 0; index < count; ++index) {
    MEANFIELD_ASSIGN_OR_RETURN(Gpu gpu, Describe(nvml, index));
    inventory.gpus.push_back(std::move(gpu));
  }
  return inventory;
}

const Gpu* Named(const std::vector<Gpu>& all, absl::string_view entry) {
  int index = 0;
  if (absl::SimpleAtoi(entry, &index)) {
    return index >= 0 && index < static_cast<int>(all.size()) ? &all[index]
                                                              : nullptr;
  }
  for (const Gpu& gpu : all) {
    if (!entry.empty() && absl::StartsWith(gpu.uuid, entry)) return &gpu;
  }
  return nullptr;
}

}  // namespace

std::vector<Gpu> VisibleGpus(const std::vector<Gpu>& all,
                             std::optional<absl::string_view> visible_devices) {
  if (!visible_devices.has_value()) return all;
  std::vector<Gpu> visible;
  for (absl::string_view entry : absl::StrSplit(*visible_devices, ',')) {
    const Gpu* gpu = Named(all, absl::StripAsciiWhitespace(entry));
    if (gpu == nullptr) break;
    visible.push_back(*gpu);
    visible.back().id = static_cast<int>(visible.size()) - 1;
  }
  return visible;
}

absl::StatusOr<GpuInventory> FindGpus(const std::string& library) {
  const std::unique_ptr<Nvml> nvml = Nvml::Load(library);
  // A library without a driver behind it (a container) fails to initialise.
  if (nvml == nullptr || !nvml->Call("nvmlInit_v2").ok()) {
    return GpuInventory();
  }
  absl::StatusOr<GpuInventory> inventory = Ask(*nvml);
  nvml->Call("nvmlShutdown").IgnoreError();  // nothing depends on it
  MEANFIELD_RETURN_IF_ERROR(inventory.status());
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  inventory->gpus = VisibleGpus(
      inventory->gpus, visible == nullptr
                           ? std::nullopt
                           : std::optional<absl::string_view>(visible));
  return inventory;
}

}  // namespace meanfield::cli

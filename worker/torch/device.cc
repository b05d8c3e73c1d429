#include "worker/torch/device.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/util/Exception.h>
#include <dlfcn.h>
#include <sys/resource.h>
#include <torch/version.h>

#include <array>
#include <exception>
#include <new>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "worker/torch/numerics.h"

namespace meanfield {
namespace {

constexpr char kLibrary[] = "libtorch-" TORCH_VERSION;

struct Gpu {
  std::string name;
  std::string uuid;  // "GPU-…"
};

// Asks the driver, whose interface is stable, so that nothing of the CUDA
// toolkit is needed to compile. Counts as LibTorch does: within
// CUDA_VISIBLE_DEVICES.
class Driver {
 public:
  Driver() : library_(dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL)) {}

  Gpu Describe(int index) const {
    using GetDevice = int (*)(int* device, int ordinal);
    using GetName = int (*)(char* name, int size, int device);
    using GetUuid = int (*)(unsigned char* uuid, int device);
    const auto get_device = Find<GetDevice>("cuDeviceGet");
    const auto get_name = Find<GetName>("cuDeviceGetName");
    const auto get_uuid = Find<GetUuid>("cuDeviceGetUuid");
    Gpu gpu{.name = "unknown GPU", .uuid = "no UUID"};
    int device = 0;
    if (get_device == nullptr || get_device(&device, index) != 0) return gpu;
    std::array<char, 256> name = {};
    if (get_name != nullptr &&
        get_name(name.data(), static_cast<int>(name.size()) - 1, device) == 0) {
      gpu.name = name.data();
    }
    std::array<unsigned char, 16> uuid = {};
    if (get_uuid != nullptr && get_uuid(uuid.data(), device) == 0) {
      gpu.uuid = FormatUuid(uuid);
    }
    return gpu;
  }

 private:
  template <typename Function>
  Function Find(const char* name) const {
    return library_ == nullptr
               ? nullptr
               : reinterpret_cast<Function>(dlsym(library_, name));
  }

  static std::string FormatUuid(const std::array<unsigned char, 16>& bytes) {
    const std::string hex = absl::BytesToHexString(absl::string_view(
        reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    return StrCat("GPU-", hex.substr(0, 8), "-", hex.substr(8, 4), "-",
                  hex.substr(12, 4), "-", hex.substr(16, 4), "-",
                  hex.substr(20));
  }

  // Never unloaded: LibTorch uses it too.
  void* library_;
};

std::vector<Gpu> ListGpus() {
  if (!at::detail::getCUDAHooks().hasCUDA()) return {};
  const int count = at::detail::getCUDAHooks().getNumGPUs();
  const Driver driver;
  std::vector<Gpu> gpus;
  for (int i = 0; i < count; ++i) gpus.push_back(driver.Describe(i));
  return gpus;
}

std::string DescribeGpus(const std::vector<Gpu>& gpus) {
  if (!at::detail::getCUDAHooks().hasCUDA()) {
    return "this program was built without CUDA, or the machine has no GPU or "
           "no driver";
  }
  if (gpus.empty()) return "the driver shows no GPU";
  std::vector<std::string> lines;
  for (size_t i = 0; i < gpus.size(); ++i) {
    lines.push_back(StrCat(i, " ", gpus[i].name, " (", gpus[i].uuid, ")"));
  }
  return StrCat("this machine shows ", absl::StrJoin(lines, ", "));
}

absl::StatusOr<int> FindGpu(const std::string& wanted,
                            const std::vector<Gpu>& gpus) {
  int index = -1;
  if (absl::SimpleAtoi(wanted, &index) && index >= 0 &&
      index < static_cast<int>(gpus.size())) {
    return index;
  }
  for (size_t i = 0; i < gpus.size(); ++i) {
    if (absl::EqualsIgnoreCase(gpus[i].uuid, wanted)) {
      return static_cast<int>(i);
    }
  }
  return absl::FailedPreconditionError(StrCat(
      "GPU ", wanted, " is not available: ", DescribeGpus(gpus),
      "; give a number or UUID of those, or leave the GPU out to use the CPU"));
}

// Pinned processes with equal libraries form one class; any other belongs to
// the hosts whose kernels happen to be the same.
std::string CpuClass() {
  const std::string instructions =
      NumericsArePinned()
          ? PinnedInstructions()
          : StrCat("native ", absl::AsciiStrToLower(at::get_cpu_capability()));
  return StrCat(kLibrary, " cpu ", instructions,
                " threads=", at::get_num_threads());
}

Device OpenCpu() { return {.name = "cpu", .numerics_class = CpuClass()}; }

Device OpenGpu(int index, const Gpu& gpu) {
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/false);
  at::globalContext().setDeterministicFillUninitializedMemory(false);
  at::globalContext().setDeterministicCuDNN(true);
  at::globalContext().setBenchmarkCuDNN(false);
  const at::CUDAHooksInterface& cuda = at::detail::getCUDAHooks();
  const std::string cudnn =
      cuda.hasCuDNN() ? StrCat(" cudnn=", cuda.versionCuDNN()) : "";
  return {.gpu = index,
          .name = StrCat("cuda:", index, " ", gpu.name, " (", gpu.uuid, ")"),
          .numerics_class = StrCat(kLibrary, " cuda ", gpu.name,
                                   " cuda=", cuda.versionCUDART(), cudnn)};
}

bool IsCpuOutOfMemory(const c10::Error& error) {
  return std::string_view(error.what_without_backtrace())
                 .find("not enough memory") != std::string_view::npos ||
         std::string_view(error.what_without_backtrace())
                 .find("can't allocate memory") != std::string_view::npos;
}

absl::Status OutOfMemory(const Device& device, std::string_view advice,
                         std::string_view detail) {
  return absl::ResourceExhaustedError(StrCat("out of memory on ", device.name,
                                             ": ", advice, " (", detail, ")"));
}

}  // namespace

absl::StatusOr<Device> OpenDevice(const DeviceChoice& choice) {
  at::set_num_threads(1);
  // May be called once only: a second trainer of the process finds it set.
  if (at::get_num_interop_threads() != 1) at::set_num_interop_threads(1);
  if (!choice.gpu) return OpenCpu();
  const std::vector<Gpu> gpus = ListGpus();
  MEANFIELD_ASSIGN_OR_RETURN(const int index, FindGpu(*choice.gpu, gpus));
  return OpenGpu(index, gpus[index]);
}

uint64_t PeakMemoryBytes(const Device& device) {
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 9
  if (device.gpu) {
    const auto stats = at::getDeviceAllocator(at::kCUDA)->getDeviceStats(
        static_cast<at::DeviceIndex>(*device.gpu));
    constexpr size_t kAll =
        static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);
    return static_cast<uint64_t>(stats.reserved_bytes[kAll].peak);
  }
#else
  static_cast<void>(device);
#endif
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

void SeedTorch(uint64_t seed) { at::manual_seed(seed); }

absl::Status CatchTorchErrors(const Device& device,
                              std::string_view memory_advice,
                              absl::FunctionRef<absl::Status()> work) {
  try {
    return work();
  } catch (const c10::OutOfMemoryError& error) {
    return OutOfMemory(device, memory_advice, error.what_without_backtrace());
  } catch (const c10::Error& error) {
    if (IsCpuOutOfMemory(error)) {
      return OutOfMemory(device, memory_advice, error.what_without_backtrace());
    }
    return absl::InternalError(StrCat("LibTorch failed on ", device.name, ": ",
                                      error.what_without_backtrace()));
  } catch (const std::bad_alloc&) {
    return OutOfMemory(device, memory_advice, "the system gave no memory");
  } catch (const std::exception& error) {
    return absl::InternalError(
        StrCat("computing on ", device.name, " failed: ", error.what()));
  }
}

std::string LibTorchVersion() { return TORCH_VERSION; }

}  // namespace meanfield

#include "worker/torch/numerics.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string_view>

#include "common/base/status.h"

namespace meanfield {
namespace {

bool HasAvx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

// The file itself rather than the link, so that the process keeps its name in
// ps; a file that was replaced meanwhile is still reachable by the link.
std::string Resolve(const char* program) {
  std::array<char, 4096> target;
  const ssize_t size = readlink(program, target.data(), target.size());
  if (size <= 0 || size == static_cast<ssize_t>(target.size())) return program;
  const std::string path(target.data(), static_cast<size_t>(size));
  return access(path.c_str(), X_OK) == 0 ? path : program;
}

}  // namespace

std::string PinnedInstructions() { return HasAvx2() ? "avx2" : "baseline"; }

std::vector<std::pair<std::string, std::string>> PinnedEnvironment() {
  const bool avx2 = HasAvx2();
  return {
      {"ATEN_CPU_CAPABILITY", avx2 ? "avx2" : "default"},
      {"ONEDNN_MAX_CPU_ISA", avx2 ? "AVX2" : "SSE41"},
      {"MKL_CBWR", avx2 ? "AVX2" : "COMPATIBLE"},
      {"OMP_NUM_THREADS", "1"},
      {"MKL_NUM_THREADS", "1"},
      // Large tables on huge pages: no bits depend on it, random rows come
      // faster.
      {"THP_MEM_ALLOC_ENABLE", "1"},
      // Without it cuBLAS is not deterministic.
      {"CUBLAS_WORKSPACE_CONFIG", ":4096:8"},
  };
}

bool NumericsArePinned() {
  for (const auto& [name, value] : PinnedEnvironment()) {
    const char* actual = getenv(name.c_str());
    if (actual == nullptr || value != actual) return false;
  }
  return true;
}

absl::Status PinNumerics(char** argv, const char* program) {
  if (NumericsArePinned()) return absl::OkStatus();
  for (const auto& [name, value] : PinnedEnvironment()) {
    setenv(name.c_str(), value.c_str(), /*overwrite=*/1);
  }
  execv(Resolve(program).c_str(), argv);
  return ErrnoStatus(errno, "run this program again with pinned numerics,",
                     program);
}

}  // namespace meanfield

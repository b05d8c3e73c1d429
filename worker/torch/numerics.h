#ifndef MEANFIELD_WORKER_TORCH_NUMERICS_H_
#define MEANFIELD_WORKER_TORCH_NUMERICS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace meanfield {

// The environment that decides which kernels LibTorch, oneDNN, MKL and cuBLAS
// choose, for this host: AVX2 kernels where the CPU has AVX2 and FMA (so hosts
// with AVX2 and with AVX-512 compute the same bits), else the libraries'
// baseline; one thread.
std::vector<std::pair<std::string, std::string>> PinnedEnvironment();

// Whether this process runs with PinnedEnvironment().
bool NumericsArePinned();
// The instruction set that PinnedEnvironment() asks for: "avx2" or "baseline".
std::string PinnedInstructions();

// Call first in main, before any thread exists. The libraries read the
// environment while they are loaded, before main: where it is not pinned yet,
// pins it and executes `program` (this program) again with `argv`, keeping the
// process id and open files. Returns OK in a pinned process, or why executing
// failed.
absl::Status PinNumerics(char** argv, const char* program = "/proc/self/exe");

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_NUMERICS_H_

#ifndef MEANFIELD_WORKER_TORCH_PACKED_STEPS_H_
#define MEANFIELD_WORKER_TORCH_PACKED_STEPS_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace meanfield {

// How recurrent layers walk through packed rows (PackedBatch).

// One step of all sequences that reach it: rows [first, first + count). The
// leading `continued` of them go on from the rows at `before`.
struct PackedStep {
  int64_t first = 0;
  int64_t count = 0;
  int64_t before = 0;
  int64_t continued = 0;
};

// In the order of computation.
std::vector<PackedStep> StepsOf(const std::vector<int64_t>& batch_sizes,
                                bool reverse);

// Of each row the output one step before it, zeros where a sequence starts.
at::Tensor OutputsBefore(const at::Tensor& out,
                         const std::vector<PackedStep>& steps);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_PACKED_STEPS_H_

#ifndef MEANFIELD_WORKER_TORCH_GRU_KERNELS_H_
#define MEANFIELD_WORKER_TORCH_GRU_KERNELS_H_

#include <cstdint>

namespace meanfield {

// The pointwise part of one GRU step of one sequence, gates in PyTorch's order:
// reset, update, new, `hidden` elements each. As in bag_kernels.h: the same
// bits on every CPU.

// of_input: sums of the input in, gates out. of_hidden: sums of the hidden
// state. h_before: null at the start of a sequence.
void GruCell(int64_t hidden, const float* of_hidden, const float* h_before,
             float* of_input, float* h);

// of_input: as GruCell left it in, d(loss)/d(its sums) out; of_hidden: as it
// was for GruCell in, d(loss)/d(its sums) out. d(loss)/d(h) is the sum of dh
// and of `carry`, which is read where the sequence goes on after the step
// (`continues`). carry out: the part of d(loss)/d(h_before) that does not go
// through the sums.
void GruCellGradient(int64_t hidden, const float* h_before, const float* dh,
                     bool continues, float* of_input, float* of_hidden,
                     float* carry);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_GRU_KERNELS_H_

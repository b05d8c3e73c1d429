#ifndef MEANFIELD_WORKER_TORCH_LSTM_KERNELS_H_
#define MEANFIELD_WORKER_TORCH_LSTM_KERNELS_H_

#include <cstdint>

namespace meanfield {

// The pointwise part of one LSTM step of one sequence, gates in PyTorch's
// order: input, forget, cell, output, `hidden` elements each. As in
// bag_kernels.h: the same bits on every CPU.

// gates: sums in, gates out. c_before: null at the start of a sequence.
void LstmCell(int64_t hidden, const float* c_before, float* gates, float* c,
              float* h);

// gates: as LstmCell left them in, d(loss)/d(sums) out. dc: d(loss)/d(c) from
// the steps after it in, d(loss)/d(c_before) out. dh is a sum of two parts;
// dh_after: null at the end of a sequence.
void LstmCellGradient(int64_t hidden, const float* c_before, const float* c,
                      const float* dh, const float* dh_after, float* gates,
                      float* dc);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_LSTM_KERNELS_H_

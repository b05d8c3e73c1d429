#ifndef MEANFIELD_WORKER_TORCH_PACKED_LSTM_H_
#define MEANFIELD_WORKER_TORCH_PACKED_LSTM_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace meanfield {

// One layer of at::lstm over packed rows (PackedBatch). On the CPU, for floats,
// it is computed here: the same numbers within rounding in less than half of
// the time, because the gradients of the weights are one matrix product over
// all rows each, where at::lstm adds them up step by step.
//
// rows [R, d]; `weights`: weight_ih, weight_hh, bias_ih, bias_hh of the forward
// direction, or of both. Returns [R, directions·h]. Can be differentiated once.
at::Tensor PackedLstmLayer(const at::Tensor& rows,
                           const std::vector<int64_t>& batch_sizes,
                           at::TensorList weights);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_PACKED_LSTM_H_

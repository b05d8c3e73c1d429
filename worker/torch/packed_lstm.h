#ifndef MEANFIELD_WORKER_TORCH_PACKED_LSTM_H_
#define MEANFIELD_WORKER_TORCH_PACKED_LSTM_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace meanfield {

// One layer of at::lstm over packed rows (PackedBatch) of floats on the CPU,
// with its gradients. The same numbers within rounding, in about half of the
// time: at::lstm adds up the gradient of weight_hh step by step, here it is one
// matrix product over all rows, as the others are.
//
// rows [R, d]; `weights`: weight_ih, weight_hh, bias_ih, bias_hh of the forward
// direction, or of both. Returns [R, directions·h]. Can be differentiated once.
at::Tensor PackedLstmLayer(const at::Tensor& rows,
                           const std::vector<int64_t>& batch_sizes,
                           at::TensorList weights);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_PACKED_LSTM_H_

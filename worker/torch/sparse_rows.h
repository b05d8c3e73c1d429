#ifndef MEANFIELD_WORKER_TORCH_SPARSE_ROWS_H_
#define MEANFIELD_WORKER_TORCH_SPARSE_ROWS_H_

#include <ATen/core/Tensor.h>

namespace meanfield {

// The sparse gradient [rows, size] of an embedding table (float, on the CPU),
// with every row listed once: repeated ones are added up in their order in the
// list, as the dense gradient adds them, so that a step has the same bits.
// LibTorch's coalesce() sorts with an unstable sort and promises no order.
at::Tensor SumRepeatedRows(const at::Tensor& gradient);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_SPARSE_ROWS_H_

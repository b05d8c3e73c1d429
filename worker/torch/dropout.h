#ifndef MEANFIELD_WORKER_TORCH_DROPOUT_H_
#define MEANFIELD_WORKER_TORCH_DROPOUT_H_

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace meanfield {

// Flair's dropouts, for training. `probability` 0 gives back `rows` and draws
// nothing.

// Single values become zero; the others are scaled up.
at::Tensor Dropout(const at::Tensor& rows, double probability);

// Whole rows (words) become zero; the others are not scaled up.
at::Tensor WordDropout(const at::Tensor& rows, double probability);

// One mask for all rows of a sequence; what it keeps is scaled up. Sequences
// are numbered from 0 to num_sequences - 1 by the I64 tensor sequence_of_row.
at::Tensor LockedDropout(const at::Tensor& rows, double probability,
                         int64_t num_sequences,
                         const at::Tensor& sequence_of_row);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_DROPOUT_H_

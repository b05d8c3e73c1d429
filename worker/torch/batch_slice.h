#ifndef MEANFIELD_WORKER_TORCH_BATCH_SLICE_H_
#define MEANFIELD_WORKER_TORCH_BATCH_SLICE_H_

#include <cstdint>

#include "worker/torch/batch.h"

namespace meanfield {

// Samples [first, last) of `batch` as a batch of their own, with only the
// distinct words that they use. num_tokens is not set: only rates need it.
Batch SliceBatch(const Batch& batch, int64_t first, int64_t last);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_BATCH_SLICE_H_

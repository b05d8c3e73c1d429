#ifndef MEANFIELD_WORKER_TORCH_PACKED_BATCH_H_
#define MEANFIELD_WORKER_TORCH_PACKED_BATCH_H_

#include <cstdint>
#include <vector>

#include "worker/torch/batch.h"

namespace meanfield {

// A batch of sequences laid out as recurrent layers read it (PyTorch's
// PackedSequence): sequences by length, descending (equal ones keep their
// order); first the first tokens of all, then the second tokens of those that
// have one, and so on. No padding anywhere. Empty sequences are left out.
struct PackedBatch {
  std::vector<int64_t> ids;              // [tokens]
  std::vector<int64_t> targets;          // [tokens], or empty
  std::vector<int64_t> batch_sizes;      // sequences that reach position t
  std::vector<int64_t> sequence_of_row;  // place in the sorted order
  std::vector<int64_t> item_of_row;      // place among the batch's tokens
};

PackedBatch Pack(const Batch& batch);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_PACKED_BATCH_H_

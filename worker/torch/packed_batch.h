#ifndef MEANFIELD_WORKER_TORCH_PACKED_BATCH_H_
#define MEANFIELD_WORKER_TORCH_PACKED_BATCH_H_

#include <cstdint>
#include <span>
#include <vector>

namespace meanfield {

// A batch of sequences laid out as recurrent layers read it (PyTorch's
// PackedSequence): sequences by length, descending (equal ones keep their
// order); first the first tokens of all, then the second tokens of those that
// have one, and so on. No padding anywhere. Empty sequences are left out.
struct PackedBatch {
  std::vector<int64_t> batch_sizes;      // sequences that reach position t
  std::vector<int64_t> samples;          // of each place of the sorted order
  std::vector<int64_t> sequence_of_row;  // place in the sorted order
  std::vector<int64_t> item_of_row;      // place among the batch's tokens

  int64_t num_rows() const { return static_cast<int64_t>(item_of_row.size()); }
};

// Sequence i is the items offsets[i] … offsets[i+1] - 1.
PackedBatch Pack(std::span<const int64_t> offsets);

// values[item] of each row.
std::vector<int64_t> InRowOrder(std::span<const int32_t> values,
                                const PackedBatch& packed);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_PACKED_BATCH_H_

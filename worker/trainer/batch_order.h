#ifndef MEANFIELD_WORKER_TRAINER_BATCH_ORDER_H_
#define MEANFIELD_WORKER_TRAINER_BATCH_ORDER_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace meanfield {

// Which samples of a shard each step trains on. Epoch e is one seeded
// permutation of the shard (drawn from order_seed and e), cut into batches; the
// last batch of an epoch may be smaller, none crosses an epoch.
class BatchOrder {
 public:
  BatchOrder(int64_t num_samples, int64_t batch_size, uint64_t order_seed);

  int64_t steps_per_epoch() const { return steps_per_epoch_; }
  // Not for an empty shard. Samples of global step `step` (0-based, counted
  // over all rounds); valid until the next call. Steps need not come in order.
  std::span<const int64_t> Batch(uint64_t step);

 private:
  int64_t batch_size_;
  uint64_t order_seed_;
  int64_t steps_per_epoch_;
  std::optional<uint64_t> epoch_;  // of permutation_
  std::vector<int64_t> permutation_;
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TRAINER_BATCH_ORDER_H_

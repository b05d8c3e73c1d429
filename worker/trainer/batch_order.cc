#include "worker/trainer/batch_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

#include "common/base/check.h"
#include "common/base/random.h"

namespace meanfield {

BatchOrder::BatchOrder(int64_t num_samples, int64_t batch_size,
                       uint64_t order_seed)
    : batch_size_(batch_size), order_seed_(order_seed) {
  MEANFIELD_CHECK(num_samples >= 0 && batch_size > 0, "sizes of batches");
  steps_per_epoch_ =
      num_samples / batch_size + (num_samples % batch_size != 0 ? 1 : 0);
  permutation_.resize(static_cast<size_t>(num_samples));
}

std::span<const int64_t> BatchOrder::Batch(uint64_t step) {
  MEANFIELD_CHECK(steps_per_epoch_ > 0, "an empty shard has no batches");
  const uint64_t steps_per_epoch = static_cast<uint64_t>(steps_per_epoch_);
  const uint64_t epoch = step / steps_per_epoch;
  if (epoch_ != epoch) {
    // From the identity: the order does not depend on the epochs seen before.
    std::iota(permutation_.begin(), permutation_.end(), 0);
    CounterRng rng(DeriveSeed(
        {.job_seed = order_seed_, .round = epoch, .purpose = "epoch"}));
    Shuffle(std::span(permutation_), rng);
    epoch_ = epoch;
  }
  const std::span<const int64_t> rest =
      std::span(permutation_)
          .subspan(static_cast<size_t>(step % steps_per_epoch) *
                   static_cast<size_t>(batch_size_));
  return rest.first(std::min(rest.size(), static_cast<size_t>(batch_size_)));
}

}  // namespace meanfield

#include "worker/torch/packed_batch.h"

#include <algorithm>
#include <numeric>

namespace meanfield {

PackedBatch Pack(const Batch& batch) {
  const auto length = [&](int64_t sequence) {
    return batch.offsets[sequence + 1] - batch.offsets[sequence];
  };
  std::vector<int64_t> order(batch.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return length(a) > length(b); });

  PackedBatch packed;
  const int64_t longest = order.empty() ? 0 : length(order.front());
  int64_t active = batch.size();
  for (int64_t t = 0; t < longest; ++t) {
    while (length(order[active - 1]) <= t) --active;
    packed.batch_sizes.push_back(active);
    for (int64_t place = 0; place < active; ++place) {
      const int64_t item = batch.offsets[order[place]] + t;
      packed.ids.push_back(batch.ids[item]);
      if (!batch.targets.empty()) {
        packed.targets.push_back(batch.targets[item]);
      }
      packed.sequence_of_row.push_back(place);
      packed.item_of_row.push_back(item);
    }
  }
  return packed;
}

}  // namespace meanfield

#include "worker/torch/packed_batch.h"

#include <algorithm>
#include <numeric>

namespace meanfield {

PackedBatch Pack(std::span<const int64_t> offsets) {
  const auto length = [&](int64_t sequence) {
    return offsets[sequence + 1] - offsets[sequence];
  };
  PackedBatch packed;
  packed.samples.resize(offsets.size() - 1);
  std::iota(packed.samples.begin(), packed.samples.end(), 0);
  std::stable_sort(packed.samples.begin(), packed.samples.end(),
                   [&](int64_t a, int64_t b) { return length(a) > length(b); });
  while (!packed.samples.empty() && length(packed.samples.back()) == 0) {
    packed.samples.pop_back();
  }
  if (packed.samples.empty()) return packed;

  packed.sequence_of_row.reserve(offsets.back());
  packed.item_of_row.reserve(offsets.back());
  const int64_t longest = length(packed.samples.front());
  int64_t active = static_cast<int64_t>(packed.samples.size());
  for (int64_t t = 0; t < longest; ++t) {
    while (length(packed.samples[active - 1]) <= t) --active;
    packed.batch_sizes.push_back(active);
    for (int64_t place = 0; place < active; ++place) {
      packed.sequence_of_row.push_back(place);
      packed.item_of_row.push_back(offsets[packed.samples[place]] + t);
    }
  }
  return packed;
}

std::vector<int64_t> InRowOrder(std::span<const int32_t> values,
                                const PackedBatch& packed) {
  std::vector<int64_t> rows;
  rows.reserve(packed.item_of_row.size());
  for (const int64_t item : packed.item_of_row) rows.push_back(values[item]);
  return rows;
}

}  // namespace meanfield

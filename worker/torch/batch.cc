#include "worker/torch/batch.h"

#include <algorithm>
#include <numeric>
#include <variant>

namespace meanfield {
namespace {

int64_t NumWords(const ModelConfig& config) {
  return std::visit(
      [](const auto& model) { return model.embeddings.num_embeddings; },
      config.model);
}

}  // namespace

BatchReader::BatchReader(const ModelConfig& config, const EncodedShard& shard)
    : shard_(shard),
      item_per_token_(
          std::holds_alternative<SequenceTaggerConfig>(config.model)),
      num_words_(static_cast<int32_t>(NumWords(config))) {}

const Batch& BatchReader::Gather(std::span<const int64_t> samples) {
  batch_.ids.clear();
  batch_.targets.clear();
  batch_.offsets.assign(1, 0);
  const std::span<const int32_t> targets =
      item_per_token_ ? shard_.tags : shard_.labels;
  for (const int64_t sample : samples) {
    const int64_t begin = shard_.offsets[sample];
    const int64_t end = shard_.offsets[sample + 1];
    batch_.ids.insert(batch_.ids.end(), shard_.ids.begin() + begin,
                      shard_.ids.begin() + end);
    batch_.offsets.push_back(static_cast<int64_t>(batch_.ids.size()));
    if (targets.empty()) continue;
    if (item_per_token_) {
      batch_.targets.insert(batch_.targets.end(), targets.begin() + begin,
                            targets.begin() + end);
    } else {
      batch_.targets.push_back(targets[sample]);
    }
  }
  batch_.num_items = item_per_token_ ? static_cast<int64_t>(batch_.ids.size())
                                     : static_cast<int64_t>(samples.size());
  batch_.num_tokens =
      std::count_if(batch_.ids.begin(), batch_.ids.end(),
                    [words = num_words_](int32_t id) { return id < words; });
  return batch_;
}

const Batch& BatchReader::GatherRange(int64_t first, int64_t size) {
  range_.resize(std::min(size, shard_.size() - first));
  std::iota(range_.begin(), range_.end(), first);
  return Gather(range_);
}

}  // namespace meanfield

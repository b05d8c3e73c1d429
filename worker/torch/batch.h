#ifndef MEANFIELD_WORKER_TORCH_BATCH_H_
#define MEANFIELD_WORKER_TORCH_BATCH_H_

#include <cstdint>
#include <span>
#include <vector>

#include "common/model/encoded_shard.h"
#include "common/model/model_config.h"

namespace meanfield {

// Samples gathered for one step, in the order they were asked for. An item is
// what one prediction and one loss belong to: a text of a classifier, a token
// of a tagger.
struct Batch {
  std::vector<int32_t> ids;      // [E, T], as in the shard
  std::vector<int64_t> offsets;  // sample i owns tokens offsets[i] …
  // Character embeddings: the batch's W distinct words, in the order of first
  // use, and of each token its word.
  std::vector<int32_t> words;
  std::vector<int32_t> characters;
  std::vector<int64_t> character_offsets;  // [W+1]
  // Of each item; empty when predicting. Multi-label: sample i has
  // targets[target_offsets[i] …].
  std::vector<int32_t> targets;
  std::vector<int64_t> target_offsets;
  int64_t num_items = 0;
  int64_t num_tokens = 0;  // words, without n-grams

  int64_t size() const { return static_cast<int64_t>(offsets.size()) - 1; }
  std::span<const int32_t> IdsOf(int64_t sample) const {
    return {ids.data() + offsets[sample], ids.data() + offsets[sample + 1]};
  }
};

// Gathers batches from a shard. Copying a batch's ids takes microseconds where
// a step takes a hundred or more, so there is no thread for it.
class BatchReader {
 public:
  // `shard` must have passed CheckShard for `config` and outlive the reader.
  BatchReader(const ModelConfig& config, const EncodedShard& shard);

  // Valid until the next call.
  const Batch& Gather(std::span<const int64_t> samples);
  // Samples [first, first + size), cut at the shard's end.
  const Batch& GatherRange(int64_t first, int64_t size);

 private:
  // What `from` has for the samples' tokens.
  void AppendTokens(std::span<const int32_t> from,
                    std::span<const int64_t> samples,
                    std::vector<int32_t>& to) const;
  void GatherWords(std::span<const int64_t> samples);
  void GatherTargets(std::span<const int64_t> samples);

  const EncodedShard& shard_;
  const bool item_per_token_;
  const int64_t num_tables_;  // of embeddings
  const int32_t num_words_;   // ids from here on are n-grams
  const bool has_characters_;
  std::vector<int32_t> slot_of_word_;  // in the batch; -1: not in it
  std::vector<int32_t> used_words_;    // word of each slot
  Batch batch_;
  std::vector<int64_t> range_;
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_BATCH_H_

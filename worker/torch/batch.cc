#include "worker/torch/batch.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <variant>

namespace meanfield {
namespace {

const std::vector<Embeddings>& EmbeddingsOf(const ModelConfig& config) {
  return std::visit(
      [](const auto& model) -> const std::vector<Embeddings>& {
        return model.embeddings;
      },
      config.model);
}

int64_t NumTables(const ModelConfig& config) {
  return std::count_if(
      EmbeddingsOf(config).begin(), EmbeddingsOf(config).end(),
      [](const Embeddings& embeddings) {
        return !std::holds_alternative<CharacterEmbeddings>(embeddings);
      });
}

// Ids below it are words; of a bag those above are n-grams.
int32_t NumWords(const ModelConfig& config) {
  const auto* classifier = std::get_if<TextClassifierConfig>(&config.model);
  if (classifier != nullptr &&
      std::holds_alternative<BagConfig>(classifier->document)) {
    return static_cast<int32_t>(
        std::get<OneHotEmbeddings>(classifier->embeddings.front())
            .num_embeddings);
  }
  return std::numeric_limits<int32_t>::max();
}

}  // namespace

BatchReader::BatchReader(const ModelConfig& config, const EncodedShard& shard)
    : shard_(shard),
      item_per_token_(
          std::holds_alternative<SequenceTaggerConfig>(config.model)),
      num_tables_(NumTables(config)),
      num_words_(NumWords(config)),
      has_characters_(num_tables_ !=
                      static_cast<int64_t>(EmbeddingsOf(config).size())) {
  if (has_characters_ && shard.num_tokens() > 0) {
    slot_of_word_.assign(shard.character_offsets.size() - 1, -1);
  }
}

const Batch& BatchReader::Gather(std::span<const int64_t> samples) {
  batch_.offsets.assign(1, 0);
  for (const int64_t sample : samples) {
    batch_.offsets.push_back(batch_.offsets.back() +
                             shard_.offsets[sample + 1] -
                             shard_.offsets[sample]);
  }
  const int64_t tokens = batch_.offsets.back();
  batch_.ids.clear();
  for (int64_t table = 0; table < num_tables_; ++table) {
    AppendTokens(shard_.ids.subspan(table * shard_.num_tokens()), samples,
                 batch_.ids);
  }
  if (has_characters_) GatherWords(samples);
  GatherTargets(samples);
  batch_.num_items =
      item_per_token_ ? tokens : static_cast<int64_t>(samples.size());
  batch_.num_tokens = tokens;
  if (num_words_ != std::numeric_limits<int32_t>::max()) {
    batch_.num_tokens =
        std::count_if(batch_.ids.begin(), batch_.ids.end(),
                      [words = num_words_](int32_t id) { return id < words; });
  }
  return batch_;
}

void BatchReader::AppendTokens(std::span<const int32_t> from,
                               std::span<const int64_t> samples,
                               std::vector<int32_t>& to) const {
  for (const int64_t sample : samples) {
    to.insert(to.end(), from.begin() + shard_.offsets[sample],
              from.begin() + shard_.offsets[sample + 1]);
  }
}

void BatchReader::GatherWords(std::span<const int64_t> samples) {
  batch_.words.clear();
  AppendTokens(shard_.words, samples, batch_.words);
  batch_.characters.clear();
  batch_.character_offsets.assign(1, 0);
  used_words_.clear();
  for (int32_t& word : batch_.words) {
    int32_t& slot = slot_of_word_[word];
    if (slot < 0) {
      slot = static_cast<int32_t>(used_words_.size());
      used_words_.push_back(word);
      batch_.characters.insert(
          batch_.characters.end(),
          shard_.characters.begin() + shard_.character_offsets[word],
          shard_.characters.begin() + shard_.character_offsets[word + 1]);
      batch_.character_offsets.push_back(
          static_cast<int64_t>(batch_.characters.size()));
    }
    word = slot;
  }
  for (const int32_t word : used_words_) slot_of_word_[word] = -1;
}

void BatchReader::GatherTargets(std::span<const int64_t> samples) {
  batch_.targets.clear();
  batch_.target_offsets.clear();
  if (item_per_token_) {
    if (!shard_.tags.empty()) {
      AppendTokens(shard_.tags, samples, batch_.targets);
    }
    return;
  }
  if (shard_.label_offsets.empty()) {
    for (const int64_t sample : samples) {
      if (!shard_.labels.empty()) {
        batch_.targets.push_back(shard_.labels[sample]);
      }
    }
    return;
  }
  batch_.target_offsets.push_back(0);
  for (const int64_t sample : samples) {
    batch_.targets.insert(
        batch_.targets.end(),
        shard_.labels.begin() + shard_.label_offsets[sample],
        shard_.labels.begin() + shard_.label_offsets[sample + 1]);
    batch_.target_offsets.push_back(
        static_cast<int64_t>(batch_.targets.size()));
  }
}

const Batch& BatchReader::GatherRange(int64_t first, int64_t size) {
  range_.resize(std::min(size, shard_.size() - first));
  std::iota(range_.begin(), range_.end(), first);
  return Gather(range_);
}

}  // namespace meanfield

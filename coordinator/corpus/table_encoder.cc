#include "coordinator/corpus/table_encoder.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "common/base/status.h"
#include "coordinator/corpus/ngrams.h"
#include "coordinator/corpus/shard_writer.h"
#include "coordinator/corpus/span_tags.h"

namespace meanfield::corpus {
namespace {

std::vector<int32_t> MapIds(const StringPool& pool,
                            const Dictionary& dictionary) {
  std::vector<int32_t> ids(static_cast<size_t>(pool.size()));
  for (int32_t id = 0; id < pool.size(); ++id) {
    ids[static_cast<size_t>(id)] = std::max(dictionary.Find(pool.at(id)), 0);
  }
  return ids;
}

}  // namespace

TableEncoder::TableEncoder(const SampleTable& table,
                           const Dictionaries& dictionaries)
    : table_(table),
      dictionaries_(dictionaries),
      word_ids_(MapIds(table.words(), dictionaries.words)),
      label_ids_(MapIds(table.label_names(), dictionaries.labels)) {}

absl::StatusOr<EncodedShardInfo> TableEncoder::Encode(
    std::span<const int64_t> samples, BlobStore& blobs) const {
  ShardTensors shard;
  EncodedShardInfo info;
  shard.offsets.reserve(samples.size() + 1);
  for (const int64_t sample : samples) {
    AppendIds(sample, shard.ids);
    shard.offsets.push_back(static_cast<int64_t>(shard.ids.size()));
    if (table_.tagged()) {
      AppendTags(sample, shard.tags);
    } else {
      shard.labels.push_back(
          label_ids_[static_cast<size_t>(table_.label(sample))]);
    }
    info.tokens += table_.tokens(sample).size();
  }
  info.examples = samples.size();
  MEANFIELD_ASSIGN_OR_RETURN(
      info.data,
      WriteShard(shard,
                 table_.tagged() ? ShardTargets::kTags : ShardTargets::kLabels,
                 Durability::kDurable, blobs));
  return info;
}

void TableEncoder::AppendIds(int64_t sample, std::vector<int32_t>& ids) const {
  const std::span<const int32_t> words = table_.tokens(sample);
  for (const int32_t word : words) {
    ids.push_back(word_ids_[static_cast<size_t>(word)]);
  }
  if (dictionaries_.ngram_size < 2) return;
  std::vector<std::string_view> texts;
  texts.reserve(words.size());
  for (const int32_t word : words) texts.push_back(table_.words().at(word));
  AppendNgramIds(texts, dictionaries_.ngram_size, dictionaries_.ngram_buckets,
                 dictionaries_.words.size(), ids);
}

void TableEncoder::AppendTags(int64_t sample,
                              std::vector<int32_t>& tags) const {
  if (dictionaries_.label_kind != LabelKind::kSpan) {
    for (const int32_t tag : table_.tags(sample)) {
      tags.push_back(label_ids_[static_cast<size_t>(tag)]);
    }
    return;
  }
  const std::vector<std::string_view> gold = table_.TagStrings(sample);
  for (const std::string& tag : ToBioes(GoldSpans(gold), gold.size())) {
    tags.push_back(std::max(dictionaries_.labels.Find(tag), 0));
  }
}

}  // namespace meanfield::corpus

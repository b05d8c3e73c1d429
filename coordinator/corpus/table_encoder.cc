#include "coordinator/corpus/table_encoder.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "common/base/status.h"
#include "coordinator/corpus/shard_builder.h"
#include "coordinator/corpus/span_tags.h"

namespace meanfield::corpus {
namespace {

std::vector<int32_t> MapIds(const StringPool& pool,
                            const Dictionary& dictionary) {
  std::vector<int32_t> ids(static_cast<size_t>(pool.size()));
  for (int32_t id = 0; id < pool.size(); ++id) {
    ids[static_cast<size_t>(id)] = dictionary.Find(pool.at(id));
  }
  return ids;
}

ShardTargets TargetKind(const Dictionaries& dictionaries) {
  if (dictionaries.label_kind != LabelKind::kDocument) {
    return ShardTargets::kTags;
  }
  return dictionaries.multi_label ? ShardTargets::kLabels
                                  : ShardTargets::kLabel;
}

}  // namespace

TableEncoder::TableEncoder(const SampleTable& table,
                           const Dictionaries& dictionaries)
    : table_(table),
      dictionaries_(dictionaries),
      label_ids_(MapIds(table.label_names(), dictionaries.labels)) {}

absl::StatusOr<EncodedShardInfo> TableEncoder::Encode(
    std::span<const int64_t> samples, BlobStore& blobs) const {
  ShardBuilder shard(dictionaries_, TargetKind(dictionaries_));
  std::vector<std::string_view> tokens;
  for (const int64_t sample : samples) {
    tokens.clear();
    for (const int32_t word : table_.tokens(sample)) {
      tokens.push_back(table_.words().at(word));
    }
    shard.AddText(tokens);
    shard.AddTargets(TargetsOf(sample));
  }
  EncodedShardInfo info{.examples = shard.examples(), .tokens = shard.tokens()};
  MEANFIELD_ASSIGN_OR_RETURN(info.data,
                             shard.Write(Durability::kDurable, blobs));
  return info;
}

std::vector<int32_t> TableEncoder::TargetsOf(int64_t sample) const {
  if (dictionaries_.label_kind != LabelKind::kDocument) return TagsOf(sample);
  if (dictionaries_.multi_label) return LabelsOf(sample);
  const int32_t label = table_.labels(sample).front();
  return {std::max(label_ids_[static_cast<size_t>(label)], 0)};
}

std::vector<int32_t> TableEncoder::LabelsOf(int64_t sample) const {
  std::vector<int32_t> labels;
  for (const int32_t label : table_.labels(sample)) {
    const int32_t id = label_ids_[static_cast<size_t>(label)];
    if (id >= 0) labels.push_back(id);
  }
  std::sort(labels.begin(), labels.end());
  return labels;
}

std::vector<int32_t> TableEncoder::TagsOf(int64_t sample) const {
  std::vector<int32_t> tags;
  if (dictionaries_.label_kind != LabelKind::kSpan) {
    for (const int32_t tag : table_.tags(sample)) {
      tags.push_back(std::max(label_ids_[static_cast<size_t>(tag)], 0));
    }
    return tags;
  }
  const std::vector<std::string_view> gold = table_.TagStrings(sample);
  for (const std::string& tag : ToBioes(GoldSpans(gold), gold.size())) {
    tags.push_back(std::max(dictionaries_.labels.Find(tag), 0));
  }
  return tags;
}

}  // namespace meanfield::corpus

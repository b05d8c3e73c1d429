#include "coordinator/corpus/shard_builder.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "common/base/check.h"
#include "common/base/status.h"
#include "common/tensor/dtype.h"
#include "common/tensor/safetensors.h"
#include "coordinator/corpus/ngrams.h"
#include "coordinator/corpus/word_forms.h"

namespace meanfield::corpus {
namespace {

template <typename T>
TensorView View(std::string_view name, const std::vector<T>& values) {
  return {.spec = {.name = std::string(name),
                   .dtype = DTypeOf<T>(),
                   .shape = {static_cast<int64_t>(values.size())}},
          .bytes = std::as_bytes(std::span(values))};
}

// The rows of `ids`, one after the other, and the other tensors.
absl::Status WriteTensors(const std::string& path,
                          const std::vector<std::vector<int32_t>>& ids,
                          int64_t num_tokens,
                          const std::vector<TensorView>& others) {
  std::vector<TensorSpec> specs = {
      {.name = "ids",
       .dtype = DType::kI32,
       .shape = {static_cast<int64_t>(ids.size()), num_tokens}}};
  for (const TensorView& other : others) specs.push_back(other.spec);
  MEANFIELD_ASSIGN_OR_RETURN(SafetensorsWriter writer,
                             SafetensorsWriter::Create(path, std::move(specs)));
  auto next = writer.MutableAs<int32_t>("ids").begin();
  for (const std::vector<int32_t>& row : ids) {
    next = std::ranges::copy(row, next).out;
  }
  for (const TensorView& other : others) {
    std::ranges::copy(other.bytes, writer.Mutable(other.spec.name).begin());
  }
  return writer.Finish();
}

}  // namespace

ShardBuilder::ShardBuilder(const Dictionaries& dictionaries,
                           ShardTargets targets)
    : dictionaries_(dictionaries), targets_(targets) {
  for (const EmbeddingDictionary& embedding : dictionaries.embeddings) {
    if (embedding.HasTable()) {
      tables_.push_back(&embedding);
    } else {
      characters_ = &embedding;
    }
  }
  word_rows_.resize(tables_.size());
  ids_.resize(tables_.size());
}

int32_t ShardBuilder::WordNumber(std::string_view token) {
  const auto [entry, is_new] =
      numbers_.emplace(token, static_cast<int32_t>(numbers_.size()));
  if (is_new) {
    for (size_t table = 0; table < tables_.size(); ++table) {
      word_rows_[table].push_back(tables_[table]->Row(token));
    }
    if (characters_ != nullptr) AddCharacters(token);
  }
  return entry->second;
}

void ShardBuilder::AddCharacters(std::string_view token) {
  for (const std::string_view character : Characters(token)) {
    character_ids_.push_back(std::max(characters_->items.Find(character), 0));
  }
  character_offsets_.push_back(static_cast<int64_t>(character_ids_.size()));
}

void ShardBuilder::AddText(std::span<const std::string_view> tokens) {
  for (const std::string_view token : tokens) {
    const int32_t number = WordNumber(token);
    for (size_t table = 0; table < tables_.size(); ++table) {
      ids_[table].push_back(word_rows_[table][static_cast<size_t>(number)]);
    }
    if (characters_ != nullptr) words_.push_back(number);
  }
  num_words_ += tokens.size();
  if (dictionaries_.ngram_size > 1) {
    AppendNgramIds(tokens, dictionaries_.ngram_size,
                   dictionaries_.ngram_buckets, tables_.front()->NumRows(),
                   ids_.front());
  }
  offsets_.push_back(
      static_cast<int64_t>(ids_.empty() ? num_words_ : ids_.front().size()));
}

void ShardBuilder::AddTargets(std::span<const int32_t> targets) {
  target_ids_.insert(target_ids_.end(), targets.begin(), targets.end());
  target_offsets_.push_back(static_cast<int64_t>(target_ids_.size()));
}

absl::StatusOr<Blob> ShardBuilder::Write(Durability durability,
                                         BlobStore& blobs) const {
  std::vector<TensorView> others = {View("offsets", offsets_)};
  if (targets_ == ShardTargets::kTags) {
    others.push_back(View("tags", target_ids_));
  } else if (targets_ != ShardTargets::kNone) {
    others.push_back(View("labels", target_ids_));
  }
  if (targets_ == ShardTargets::kLabels) {
    MEANFIELD_CHECK(target_offsets_.size() == offsets_.size(), "labels");
    others.push_back(View("label_offsets", target_offsets_));
  }
  if (characters_ != nullptr) {
    others.push_back(View("words", words_));
    others.push_back(View("characters", character_ids_));
    others.push_back(View("character_offsets", character_offsets_));
  }
  const std::string path = blobs.NewTemporary();
  absl::Cleanup remove = [&path] { std::remove(path.c_str()); };
  MEANFIELD_RETURN_IF_ERROR(WriteTensors(path, ids_, offsets_.back(), others));
  MEANFIELD_ASSIGN_OR_RETURN(Blob blob, blobs.Adopt(path, durability));
  std::move(remove).Cancel();
  return blob;
}

}  // namespace meanfield::corpus

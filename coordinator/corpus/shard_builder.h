#ifndef MEANFIELD_COORDINATOR_CORPUS_SHARD_BUILDER_H_
#define MEANFIELD_COORDINATOR_CORPUS_SHARD_BUILDER_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "common/blob/blob_store.h"
#include "coordinator/corpus/dictionaries.h"

namespace meanfield::corpus {

enum class ShardTargets { kNone, kLabel, kLabels, kTags };

// Encodes texts, one after the other, as the tensors of
// common/model/encoded_shard.h. Every distinct word is looked up once.
class ShardBuilder {
 public:
  // The dictionaries and the texts of the tokens must outlive it.
  ShardBuilder(const Dictionaries& dictionaries, ShardTargets targets);

  void AddText(std::span<const std::string_view> tokens);
  // Of the text that was added last: one label, rising labels (perhaps none),
  // or a tag a token.
  void AddTargets(std::span<const int32_t> targets);

  uint64_t examples() const { return offsets_.size() - 1; }
  uint64_t tokens() const { return num_words_; }  // without n-grams

  // Errors name the file; disk full is RESOURCE_EXHAUSTED.
  absl::StatusOr<Blob> Write(Durability durability, BlobStore& blobs) const;

 private:
  int32_t WordNumber(std::string_view token);
  void AddCharacters(std::string_view token);

  const Dictionaries& dictionaries_;
  const ShardTargets targets_;
  std::vector<const EmbeddingDictionary*> tables_;
  const EmbeddingDictionary* characters_ = nullptr;  // null: none

  // Of the distinct words: number, and row in each table.
  absl::flat_hash_map<std::string_view, int32_t> numbers_;
  std::vector<std::vector<int32_t>> word_rows_;

  uint64_t num_words_ = 0;
  std::vector<std::vector<int32_t>> ids_;  // of each table
  std::vector<int64_t> offsets_ = {0};
  std::vector<int32_t> target_ids_;
  std::vector<int64_t> target_offsets_ = {0};
  // With character embeddings only.
  std::vector<int32_t> words_;
  std::vector<int32_t> character_ids_;
  std::vector<int64_t> character_offsets_ = {0};
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_SHARD_BUILDER_H_

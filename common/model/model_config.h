#ifndef MEANFIELD_COMMON_MODEL_MODEL_CONFIG_H_
#define MEANFIELD_COMMON_MODEL_MODEL_CONFIG_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"

namespace meanfield {

// A trained vector per word; row 0 is the unknown word.
struct OneHotEmbeddings {
  int64_t num_embeddings = 0;
  int64_t embedding_size = 300;
  friend bool operator==(const OneHotEmbeddings&,
                         const OneHotEmbeddings&) = default;
};

enum class Pooling { kMean, kSum };

// Document = pooled vectors of its words and hashed word n-grams. The ids of
// n-grams follow those of words: num_embeddings … num_embeddings + buckets - 1.
struct TextClassifierConfig {
  OneHotEmbeddings embeddings;
  int64_t ngram_size = 1;  // 1: words only
  int64_t ngram_buckets = 0;
  Pooling pooling = Pooling::kMean;
  int64_t num_labels = 0;
  friend bool operator==(const TextClassifierConfig&,
                         const TextClassifierConfig&) = default;
};

// BiLSTM with a softmax per token (Flair's SequenceTagger without CRF).
struct SequenceTaggerConfig {
  OneHotEmbeddings embeddings;
  int64_t hidden_size = 256;
  int64_t num_layers = 1;
  bool bidirectional = true;
  int64_t num_tags = 0;
  double dropout = 0;
  double word_dropout = 0.05;
  double locked_dropout = 0.5;
  friend bool operator==(const SequenceTaggerConfig&,
                         const SequenceTaggerConfig&) = default;
};

// model.json: all that is needed to build the model; no strings of the corpus.
struct ModelConfig {
  std::variant<TextClassifierConfig, SequenceTaggerConfig> model;
  friend bool operator==(const ModelConfig&, const ModelConfig&) = default;
};

// Canonical: fixed key order, two blanks of indentation, final newline.
std::string ToJson(const ModelConfig& config);
// INVALID_ARGUMENT names the key: unknown, missing, wrong type, out of range.
absl::StatusOr<ModelConfig> ParseModelConfig(std::string_view json);

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_MODEL_MODEL_CONFIG_H_

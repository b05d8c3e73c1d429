#ifndef MEANFIELD_COMMON_MODEL_MODEL_CONFIG_H_
#define MEANFIELD_COMMON_MODEL_MODEL_CONFIG_H_

#include <cstdint>
#include <optional>
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

// Vectors from a file. The last row, zeros, is the unknown word's.
struct WordEmbeddings {
  int64_t num_embeddings = 0;
  int64_t embedding_size = 0;
  bool fine_tune = false;  // false: the tensor is frozen
  friend bool operator==(const WordEmbeddings&,
                         const WordEmbeddings&) = default;
};

// A BiLSTM over the characters of a word; row 0 is the unknown character.
struct CharacterEmbeddings {
  int64_t num_characters = 0;
  int64_t embedding_size = 25;  // of a character
  int64_t hidden_size = 25;     // of a direction
  friend bool operator==(const CharacterEmbeddings&,
                         const CharacterEmbeddings&) = default;
};

// How a word becomes a vector. The vectors of several are concatenated.
using Embeddings =
    std::variant<OneHotEmbeddings, WordEmbeddings, CharacterEmbeddings>;
// Of the vector of one word.
int64_t VectorSize(const Embeddings& embeddings);

enum class RnnType { kLstm, kGru };

struct RnnConfig {
  RnnType type = RnnType::kLstm;
  int64_t hidden_size = 256;  // of a direction
  int64_t num_layers = 1;
  bool bidirectional = true;
  friend bool operator==(const RnnConfig&, const RnnConfig&) = default;
};

enum class Pooling { kMean, kSum };

// Document = pooled vectors of its words and hashed word n-grams. The ids of
// n-grams follow those of words: num_embeddings … num_embeddings + buckets - 1.
struct BagConfig {
  int64_t ngram_size = 1;  // 1: words only
  int64_t ngram_buckets = 0;
  Pooling pooling = Pooling::kMean;
  friend bool operator==(const BagConfig&, const BagConfig&) = default;
};

// Document = output of an RNN at its last word; of a bidirectional one, its
// outputs at the first and at the last word (Flair's DocumentRNNEmbeddings).
struct DocumentRnnConfig {
  RnnConfig rnn;
  // Width of the linear map between the words and the RNN; without it the map
  // exists, as wide as the words, and is not used.
  std::optional<int64_t> reproject_words_dimension;
  double dropout = 0.5;  // of the words, and of the RNN's outputs
  double word_dropout = 0;
  double locked_dropout = 0;
  friend bool operator==(const DocumentRnnConfig&,
                         const DocumentRnnConfig&) = default;
};

struct TextClassifierConfig {
  // With a bag exactly one, OneHotEmbeddings.
  std::vector<Embeddings> embeddings;
  std::variant<BagConfig, DocumentRnnConfig> document;
  int64_t num_labels = 0;
  bool multi_label = false;  // each label decided on its own
  // A factor of the loss for each label; empty: all 1.
  std::vector<double> label_weights;
  friend bool operator==(const TextClassifierConfig&,
                         const TextClassifierConfig&) = default;
};

// Flair's SequenceTagger.
struct SequenceTaggerConfig {
  std::vector<Embeddings> embeddings;
  RnnConfig rnn;
  bool crf = false;
  // With a CRF the last two are <START> and <STOP>.
  int64_t num_tags = 0;
  double dropout = 0;
  double word_dropout = 0.05;
  double locked_dropout = 0.5;
  std::vector<double> label_weights;  // as above; not with a CRF
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

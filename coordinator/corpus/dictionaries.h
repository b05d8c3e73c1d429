#ifndef MEANFIELD_COORDINATOR_CORPUS_DICTIONARIES_H_
#define MEANFIELD_COORDINATOR_CORPUS_DICTIONARIES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/corpus/dictionary.h"

namespace meanfield::corpus {

// The tags that a CRF adds after the others.
inline constexpr std::string_view kStartTag = "<START>";
inline constexpr std::string_view kStopTag = "<STOP>";

enum class LabelKind {
  kDocument,  // labels of a text
  kToken,     // one tag a token
  kSpan,      // BIOES tags that stand for spans
};

enum class EmbeddingKind {
  kOneHot,       // words: "<unk>", then by frequency, then bytewise
  kWordVectors,  // words of a file, in its order; no "<unk>"
  kCharacters,   // characters: "<unk>", then by frequency, then bytewise
};

// What one of a model's embeddings knows of text.
struct EmbeddingDictionary {
  EmbeddingKind kind = EmbeddingKind::kOneHot;
  Dictionary items;

  // With or without a table of words; see common/model/encoded_shard.h.
  bool HasTable() const { return kind != EmbeddingKind::kCharacters; }
  // Rows of the tensor: word vectors have one more, the last, for every other
  // word.
  int64_t NumRows() const {
    return items.size() + (kind == EmbeddingKind::kWordVectors ? 1 : 0);
  }
  // The row of a word in the table. Word vectors are looked up as Flair does:
  // the word itself, in lower case, then with each digit as '#', then with each
  // digit as '0'.
  int32_t Row(std::string_view word) const;

  friend bool operator==(const EmbeddingDictionary&,
                         const EmbeddingDictionary&) = default;
};

// dictionaries.json: all that turns text into ids and ids into labels.
struct Dictionaries {
  std::vector<EmbeddingDictionary> embeddings;  // in the model's order
  // Labels and token tags: "<unk>", then by frequency. Span tags: "O", then
  // S-, B-, E-, I- of each class by the frequency of its spans. Ties: first
  // seen in the training file. With a CRF, kStartTag and kStopTag last. This is
  // Flair's order.
  Dictionary labels;
  LabelKind label_kind = LabelKind::kDocument;
  bool multi_label = false;  // any number of labels a text
  // Of a bag, whose only embedding is one-hot: the ids of a text's words are
  // followed by those of its n-grams of 2 … ngram_size words, hashed from the
  // words' own text, so that an unknown word still makes its n-grams. The hash
  // is part of the contract: ngrams.h.
  int64_t ngram_size = 1;
  int64_t ngram_buckets = 0;

  // Canonical: sorted keys, an item a line, final newline.
  std::string ToJson() const;
  // INVALID_ARGUMENT names the key and what is wrong.
  static absl::StatusOr<Dictionaries> Parse(std::string_view json);

  friend bool operator==(const Dictionaries&, const Dictionaries&) = default;
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_DICTIONARIES_H_

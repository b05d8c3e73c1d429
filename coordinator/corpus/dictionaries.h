#ifndef MEANFIELD_COORDINATOR_CORPUS_DICTIONARIES_H_
#define MEANFIELD_COORDINATOR_CORPUS_DICTIONARIES_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"

namespace meanfield::corpus {

inline constexpr std::string_view kUnknown = "<unk>";

// Items in id order and back. Id 0 is "<unk>" where the dictionary has one.
class Dictionary {
 public:
  Dictionary() = default;
  // The items must differ.
  explicit Dictionary(std::vector<std::string> items);

  int32_t size() const { return static_cast<int32_t>(items_.size()); }
  const std::string& item(int32_t id) const { return items_[id]; }
  const std::vector<std::string>& items() const { return items_; }
  // -1 when absent.
  int32_t Find(std::string_view item) const;

  friend bool operator==(const Dictionary& a, const Dictionary& b) {
    return a.items_ == b.items_;
  }

 private:
  std::vector<std::string> items_;
  absl::flat_hash_map<std::string, int32_t> ids_;
};

enum class LabelKind {
  kDocument,  // one label a text
  kToken,     // one tag a token
  kSpan,      // BIOES tags that stand for spans
};

// dictionaries.json: all that turns text into ids and ids into labels.
struct Dictionaries {
  Dictionary words;  // "<unk>", then by frequency, then bytewise
  // Labels and token tags: "<unk>", then by frequency. Span tags: "O", then
  // S-, B-, E-, I- of each class by the frequency of its spans. Ties: first
  // seen in the training file. This is Flair's order.
  Dictionary labels;
  LabelKind label_kind = LabelKind::kDocument;
  int64_t ngram_size = 1;
  int64_t ngram_buckets = 0;

  // Canonical: sorted keys, an item a line, final newline.
  std::string ToJson() const;
  // INVALID_ARGUMENT names the key and what is wrong.
  static absl::StatusOr<Dictionaries> Parse(std::string_view json);

  // Ids of the words, followed by those of the hashed n-grams (of 2 …
  // ngram_size words, hashed from the words' own text, so that an unknown word
  // still makes its n-grams). The hash is part of the contract: ngrams.h.
  std::vector<int32_t> Encode(const std::vector<std::string>& tokens) const;
  std::vector<int32_t> Encode(std::span<const std::string_view> tokens) const;

  friend bool operator==(const Dictionaries&, const Dictionaries&) = default;
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_DICTIONARIES_H_

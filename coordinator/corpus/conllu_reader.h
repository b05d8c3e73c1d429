#ifndef MEANFIELD_COORDINATOR_CORPUS_CONLLU_READER_H_
#define MEANFIELD_COORDINATOR_CORPUS_CONLLU_READER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "coordinator/corpus/sample_reader.h"

namespace meanfield::corpus {

// Which part of a CoNLL-U row is the label.
struct ConlluLabel {
  size_t column = 3;  // from 0
  // A key of "KEY=value|…" in the column; empty: the whole column. A word
  // without the key has the label "_".
  std::string key;
};

// "upos", "xpos", "deprel", "feats:NAME" or "misc:NAME".
absl::StatusOr<ConlluLabel> ParseConlluLabel(std::string_view name);

// CoNLL-U: ten columns split at TABs only (a word may hold blanks), comments,
// multiword ranges ("3-4") and empty nodes ("2.1") skipped. Mended: empty
// columns after the tenth are dropped; a row without TABs but with ten parts
// between blanks is those; an empty label is "_", as the format has it.
class ConlluReader : public SampleReader {
 public:
  explicit ConlluReader(ConlluLabel label) : label_(std::move(label)) {}
  absl::Status Read(const TextFile& file, BadLines policy,
                    SampleSink& sink) const override;

 private:
  const ConlluLabel label_;
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_CONLLU_READER_H_

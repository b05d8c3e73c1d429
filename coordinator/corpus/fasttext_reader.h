#ifndef MEANFIELD_COORDINATOR_CORPUS_FASTTEXT_READER_H_
#define MEANFIELD_COORDINATOR_CORPUS_FASTTEXT_READER_H_

#include "coordinator/corpus/sample_reader.h"

namespace meanfield::corpus {

// `__label__NAME text…`: the label ends at the first TAB or blank. Blank lines
// are skipped. One label a text: a line without a label, or with several, is a
// fault. Multi-label: any number of labels before the text. Mended: blanks
// before the first label.
class FastTextReader : public SampleReader {
 public:
  explicit FastTextReader(bool multi_label = false)
      : multi_label_(multi_label) {}
  absl::Status Read(const TextFile& file, BadLines policy,
                    SampleSink& sink) const override;

 private:
  const bool multi_label_;
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_FASTTEXT_READER_H_

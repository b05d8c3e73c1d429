#ifndef MEANFIELD_COORDINATOR_CORPUS_LABEL_TEXT_READER_H_
#define MEANFIELD_COORDINATOR_CORPUS_LABEL_TEXT_READER_H_

#include "coordinator/corpus/label_list.h"
#include "coordinator/corpus/sample_reader.h"

namespace meanfield::corpus {

// `label TAB text`: quotes and further TABs are text. Blank lines are skipped.
// Mended: a line without a TAB whose first word is the label of another line.
class LabelTextReader : public SampleReader {
 public:
  explicit LabelTextReader(LabelRules labels = {}) : labels_(labels) {}
  absl::Status Read(const TextFile& file, BadLines policy,
                    SampleSink& sink) const override;

 private:
  const LabelRules labels_;
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_LABEL_TEXT_READER_H_

#ifndef MEANFIELD_COORDINATOR_CORPUS_LABEL_TEXT_READER_H_
#define MEANFIELD_COORDINATOR_CORPUS_LABEL_TEXT_READER_H_

#include "coordinator/corpus/sample_reader.h"

namespace meanfield::corpus {

// `label TAB text`: the label ends at the first TAB; quotes are ordinary
// characters. Blank lines are skipped.
class LabelTextReader : public SampleReader {
 public:
  void Read(const TextFile& file, SampleSink& sink) const override;
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_LABEL_TEXT_READER_H_

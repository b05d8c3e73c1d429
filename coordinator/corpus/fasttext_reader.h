#ifndef MEANFIELD_COORDINATOR_CORPUS_FASTTEXT_READER_H_
#define MEANFIELD_COORDINATOR_CORPUS_FASTTEXT_READER_H_

#include "coordinator/corpus/sample_reader.h"

namespace meanfield::corpus {

// `__label__NAME text…`: the label ends at the first TAB or blank. Blank lines
// are skipped; a line without a label, or with several, is a fault.
class FastTextReader : public SampleReader {
 public:
  void Read(const TextFile& file, SampleSink& sink) const override;
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_FASTTEXT_READER_H_

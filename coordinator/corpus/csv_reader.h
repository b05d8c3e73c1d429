#ifndef MEANFIELD_COORDINATOR_CORPUS_CSV_READER_H_
#define MEANFIELD_COORDINATOR_CORPUS_CSV_READER_H_

#include <string>
#include <utility>

#include "coordinator/corpus/label_list.h"
#include "coordinator/corpus/sample_reader.h"

namespace meanfield::corpus {

struct CsvReaderOptions {
  bool header = false;
  char delimiter = ',';
  // A name in the header, or a number from 0.
  std::string text_column;
  std::string label_column;
  LabelRules labels;
};

// CSV and TSV, one text a record; see CsvCursor. Records must have as many
// fields as the first. Mended: a line in which quotes can only be ordinary
// characters is read so; empty fields beyond the expected number are dropped;
// in a file of two columns, one of them the text, delimiters too many belong to
// the text.
class CsvReader : public SampleReader {
 public:
  explicit CsvReader(CsvReaderOptions options) : options_(std::move(options)) {}
  absl::Status Read(const TextFile& file, BadLines policy,
                    SampleSink& sink) const override;

 private:
  const CsvReaderOptions options_;
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_CSV_READER_H_

#ifndef MEANFIELD_COORDINATOR_CORPUS_COLUMN_READER_H_
#define MEANFIELD_COORDINATOR_CORPUS_COLUMN_READER_H_

#include <cstddef>
#include <string>
#include <utility>

#include "coordinator/corpus/sample_reader.h"

namespace meanfield::corpus {

struct ColumnReaderOptions {
  size_t text_column = 0;  // from 0
  size_t label_column = 1;
  std::string comment_prefix;  // empty: no comments
};

// CoNLL columns: a token a line, a blank line between sentences. A row that
// holds a TAB is split at TABs only (so that a token may hold blanks, and two
// TABs mean an empty column), any other at runs of blanks. Rows must have as
// many columns as most rows of the file. A token -DOCSTART- is the border of a
// document.
class ColumnReader : public SampleReader {
 public:
  explicit ColumnReader(ColumnReaderOptions options)
      : options_(std::move(options)) {}
  void Read(const TextFile& file, SampleSink& sink) const override;

 private:
  const ColumnReaderOptions options_;
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_COLUMN_READER_H_

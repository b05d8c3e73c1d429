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
  std::string comment_prefix;      // empty: no comments
  size_t max_sentence_tokens = 0;  // 0: sentences are never cut
  char delimiter = '\0';           // see ColumnSplitter
};

// CoNLL columns: a token a line, a blank line between sentences, rows split by
// ColumnSplitter. Rows must have as many columns as most rows of the file. A
// token -DOCSTART- is the border of a document. How bad rows are mended:
// column_repair.h and sentence_builder.h.
class ColumnReader : public SampleReader {
 public:
  explicit ColumnReader(ColumnReaderOptions options)
      : options_(std::move(options)) {}
  absl::Status Read(const TextFile& file, BadLines policy,
                    SampleSink& sink) const override;

 private:
  const ColumnReaderOptions options_;
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_COLUMN_READER_H_

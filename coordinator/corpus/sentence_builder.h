#ifndef MEANFIELD_COORDINATOR_CORPUS_SENTENCE_BUILDER_H_
#define MEANFIELD_COORDINATOR_CORPUS_SENTENCE_BUILDER_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "coordinator/corpus/sample_reader.h"

namespace meanfield::corpus {

// Gathers the rows of a sentence for the readers of column formats.
class SentenceBuilder {
 public:
  explicit SentenceBuilder(SampleSink& sink) : sink_(sink) {}

  // Faults: an empty token or tag, "S-" without a class. False then. Views
  // must hold until End.
  bool AddRow(uint64_t line, std::string_view token, std::string_view tag);
  // Hands the sentence on, if it has any row.
  void End();
  // The next sentence is the first of a document.
  void StartDocument() { starts_document_ = true; }

 private:
  SampleSink& sink_;
  std::vector<std::string_view> tokens_;
  std::vector<std::string_view> tags_;
  uint64_t first_line_ = 0;
  bool starts_document_ = false;
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_SENTENCE_BUILDER_H_

#ifndef MEANFIELD_COORDINATOR_CORPUS_SENTENCE_BUILDER_H_
#define MEANFIELD_COORDINATOR_CORPUS_SENTENCE_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/corpus/sample_reader.h"

namespace meanfield::corpus {

// Gathers the rows of a sentence for the readers of column formats. A sentence
// with a bad row is left out.
class SentenceBuilder {
 public:
  // A sentence of more than `max_tokens` tokens is handed on in pieces, see
  // job.proto; 0: never.
  SentenceBuilder(BadLines policy, SampleSink& sink, size_t max_tokens = 0)
      : policy_(policy), sink_(sink), max_tokens_(max_tokens) {}

  // Bad: an empty token or tag, "S-" without a class. Mended: an empty token
  // outside every span is no token; a tag without a class is "O". Views must
  // hold until End.
  void AddRow(uint64_t line, std::string_view token, std::string_view tag);
  // A row that cannot be read: reports it.
  void Fault(uint64_t line, std::string what);
  // The sentence is left out for a reason that is reported elsewhere.
  void Spoil(uint64_t line);
  // Hands the sentence on, if it has any row.
  void End();
  // The next sentence is the first of a document.
  void StartDocument() { starts_document_ = true; }

 private:
  bool mend() const { return policy_ == BadLines::kMend; }
  // Before one more row, whose tag this is.
  void MakeRoom(std::string_view next_tag);
  // How many of the tokens make a piece.
  size_t FindCut(std::string_view next_tag) const;

  const BadLines policy_;
  SampleSink& sink_;
  const size_t max_tokens_;
  std::vector<std::string_view> tokens_;
  std::vector<std::string_view> tags_;
  std::vector<uint64_t> lines_;
  uint64_t first_line_ = 0;  // 0: no row yet
  bool spoilt_ = false;
  bool starts_document_ = false;
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_SENTENCE_BUILDER_H_

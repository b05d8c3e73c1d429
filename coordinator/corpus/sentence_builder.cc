#include "coordinator/corpus/sentence_builder.h"

#include "common/base/strings.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/span_tags.h"

namespace meanfield::corpus {

bool SentenceBuilder::AddRow(uint64_t line, std::string_view token,
                             std::string_view tag) {
  if (token.empty()) {
    sink_.Fault(line, StrCat("saw an empty token (its tag is ", Quoted(tag),
                             "), expected text"));
    return false;
  }
  if (tag.empty()) {
    sink_.Fault(line, StrCat("saw an empty tag for token ", Quoted(token),
                             ", expected a label"));
    return false;
  }
  if (HasSpanPrefix(tag) && tag.size() == 2) {
    sink_.Fault(line, StrCat("saw tag ", Quoted(tag), ", expected a ",
                             "class after the \"-\""));
    return false;
  }
  if (tokens_.empty()) first_line_ = line;
  tokens_.push_back(token);
  tags_.push_back(tag);
  return true;
}

void SentenceBuilder::End() {
  if (tokens_.empty()) return;
  sink_.Add({.tokens = tokens_,
             .tags = tags_,
             .line = first_line_,
             .starts_document = starts_document_});
  tokens_.clear();
  tags_.clear();
  starts_document_ = false;
}

}  // namespace meanfield::corpus

#include "coordinator/corpus/sentence_builder.h"

#include <utility>

#include "common/base/strings.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/span_tags.h"

namespace meanfield::corpus {
namespace {

constexpr std::string_view kOutside = "O";

}  // namespace

void SentenceBuilder::AddRow(uint64_t line, std::string_view token,
                             std::string_view tag) {
  if (first_line_ == 0) first_line_ = line;
  if (token.empty()) {
    if (mend() && IsOutside(tag)) {
      sink_.Fixed(line, StrCat("saw an empty token with tag ", Quoted(tag),
                               ", left the row out"));
    } else {
      Fault(line, StrCat("saw an empty token (its tag is ", Quoted(tag),
                         "), expected text"));
    }
    return;
  }
  if (tag.empty()) {
    Fault(line, StrCat("saw an empty tag for token ", Quoted(token),
                       ", expected a label"));
    return;
  }
  if (HasSpanPrefix(tag) && tag.size() == 2) {
    if (!mend()) {
      Fault(line, StrCat("saw tag ", Quoted(tag), ", expected a class after ",
                         "the \"-\""));
      return;
    }
    sink_.Fixed(line, StrCat("saw tag ", Quoted(tag),
                             " without a class, read as \"O\""));
    tag = kOutside;
  }
  tokens_.push_back(token);
  tags_.push_back(tag);
}

void SentenceBuilder::Fault(uint64_t line, std::string what) {
  sink_.Fault(line, std::move(what));
  Spoil(line);
}

void SentenceBuilder::Spoil(uint64_t line) {
  if (first_line_ == 0) first_line_ = line;
  spoilt_ = true;
}

void SentenceBuilder::End() {
  if (spoilt_) {
    sink_.LeftOut(first_line_);
  } else if (!tokens_.empty()) {
    sink_.Add({.tokens = tokens_,
               .tags = tags_,
               .line = first_line_,
               .starts_document = starts_document_});
  }
  if (spoilt_ || !tokens_.empty()) starts_document_ = false;
  tokens_.clear();
  tags_.clear();
  first_line_ = 0;
  spoilt_ = false;
}

}  // namespace meanfield::corpus

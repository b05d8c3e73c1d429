#include "coordinator/corpus/sentence_builder.h"

#include <type_traits>
#include <utility>

#include "common/base/strings.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/span_tags.h"

namespace meanfield::corpus {
namespace {

constexpr std::string_view kOutside = "O";

bool EndsSentence(std::string_view token) {
  return token == "." || token == "!" || token == "?";
}

bool IsInsideOfSpan(std::string_view tag) {
  return HasSpanPrefix(tag) && (tag[0] == 'I' || tag[0] == 'E');
}

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
  if (max_tokens_ > 0 && tokens_.size() == max_tokens_) {
    MakeRoom(tag);
    if (first_line_ == 0) first_line_ = line;
  }
  tokens_.push_back(token);
  tags_.push_back(tag);
  lines_.push_back(line);
}

size_t SentenceBuilder::FindCut(std::string_view next_tag) const {
  const auto may_cut = [&](size_t at) {
    return !IsInsideOfSpan(at < tags_.size() ? tags_[at] : next_tag);
  };
  for (size_t at = tokens_.size(); at > 0; --at) {
    if (EndsSentence(tokens_[at - 1]) && may_cut(at)) return at;
  }
  for (size_t at = tokens_.size(); at > 0; --at) {
    if (may_cut(at)) return at;
  }
  return tokens_.size();
}

void SentenceBuilder::MakeRoom(std::string_view next_tag) {
  const size_t cut = spoilt_ ? tokens_.size() : FindCut(next_tag);
  const auto take_rest = [cut](auto& items) {
    std::remove_cvref_t<decltype(items)> rest(items.begin() + cut, items.end());
    items.resize(cut);
    return rest;
  };
  auto tokens = take_rest(tokens_);
  auto tags = take_rest(tags_);
  auto lines = take_rest(lines_);
  End();
  tokens_ = std::move(tokens);
  tags_ = std::move(tags);
  lines_ = std::move(lines);
  if (!lines_.empty()) first_line_ = lines_.front();
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
  lines_.clear();
  first_line_ = 0;
  spoilt_ = false;
}

}  // namespace meanfield::corpus

#include "coordinator/corpus/csv_cursor.h"

#include <algorithm>

#include "absl/strings/str_replace.h"
#include "common/base/strings.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/white_space.h"

namespace meanfield::corpus {

CsvCursor::CsvCursor(std::string_view text, char delimiter, char line_end)
    : text_(text), delimiter_(delimiter), line_end_(line_end) {}

bool CsvCursor::Next() {
  fields_.clear();
  unescaped_.clear();
  fault_.clear();
  while (!AtEnd() && IsEmptyLine()) {
    at_ = std::min(text_.find(line_end_, at_), text_.size() - 1) + 1;
    ++next_line_;
  }
  if (AtEnd()) return false;
  line_ = next_line_;
  const size_t begin = at_;
  ReadRecord();
  if (!fault_.empty()) ReadPlainLine(begin);
  record_ = text_.substr(begin, at_ - begin);
  if (!record_.empty() && record_.back() == line_end_) record_.remove_suffix(1);
  if (line_end_ == '\n' && !record_.empty() && record_.back() == '\r') {
    record_.remove_suffix(1);
  }
  return true;
}

bool CsvCursor::IsEmptyLine() const {
  const std::string_view line =
      text_.substr(at_, text_.find(line_end_, at_) - at_);
  return IsBlank(line) && line.find(delimiter_) == std::string_view::npos;
}

void CsvCursor::ReadRecord() {
  do {
    if (!AtEnd() && Peek() == '"') {
      ReadQuotedField();
    } else {
      ReadPlainField();
    }
  } while (fault_.empty() && ConsumeDelimiter());
}

void CsvCursor::ReadPlainLine(size_t begin) {
  fields_.clear();
  at_ = begin;
  next_line_ = line_;
  do {
    ReadPlainField();
  } while (ConsumeDelimiter());
}

void CsvCursor::ReadQuotedField() {
  const uint64_t opened = next_line_;
  const size_t begin = ++at_;
  bool doubled = false;
  while (true) {
    const size_t quote = text_.find('"', at_);
    if (quote == std::string_view::npos) {
      fault_ = StrCat(
          "the double quote that opens a field in line ", opened,
          " is never closed; where quotes are ordinary characters of a label "
          "TAB text file, use label_text");
      return;
    }
    next_line_ += static_cast<uint64_t>(
        std::count(text_.begin() + static_cast<ptrdiff_t>(at_),
                   text_.begin() + static_cast<ptrdiff_t>(quote), line_end_));
    at_ = quote + 1;
    if (AtEnd() || Peek() != '"') break;
    doubled = true;
    ++at_;
  }
  std::string_view field = text_.substr(begin, at_ - 1 - begin);
  if (doubled) {
    field = unescaped_.emplace_back(
        absl::StrReplaceAll(AbslView(field), {{"\"\"", "\""}}));
  }
  fields_.push_back(field);
}

void CsvCursor::ReadPlainField() {
  const size_t begin = at_;
  while (!AtEnd() && Peek() != delimiter_ && Peek() != line_end_) ++at_;
  std::string_view field = text_.substr(begin, at_ - begin);
  if (!AtEnd() && Peek() == '\n' && !field.empty() && field.back() == '\r') {
    field.remove_suffix(1);
  }
  fields_.push_back(field);
}

bool CsvCursor::ConsumeDelimiter() {
  const size_t begin = at_;
  if (!AtEnd() && Peek() == '\r' && line_end_ == '\n') ++at_;
  if (!AtEnd() && at_ == begin && Peek() == delimiter_) {
    ++at_;
    return true;
  }
  if (!AtEnd() && Peek() != line_end_) {
    const size_t end = std::min(text_.find(line_end_, at_), text_.size());
    fault_ = StrCat("saw ", Quoted(text_.substr(begin, end - begin)),
                    " after a closing double quote, expected the delimiter or "
                    "the end of the line");
    return false;
  }
  if (!AtEnd()) ++at_;
  ++next_line_;
  return false;
}

}  // namespace meanfield::corpus

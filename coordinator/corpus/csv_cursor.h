#ifndef MEANFIELD_COORDINATOR_CORPUS_CSV_CURSOR_H_
#define MEANFIELD_COORDINATOR_CORPUS_CSV_CURSOR_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace meanfield::corpus {

// The records of a CSV text by RFC 4180: a field that starts with a double
// quote ends at the next single one and may hold delimiters, doubled quotes and
// line ends. In other fields quotes are ordinary characters. Records end with
// LF or CRLF (or `line_end`); lines without anything are skipped.
//
// Where that rule fails (a quote that is never closed, text after a closing
// one) the record is the one line that it starts in, with quotes as ordinary
// characters, and has a fault; the next record starts in the next line.
class CsvCursor {
 public:
  CsvCursor(std::string_view text, char delimiter, char line_end);

  // False at the end of the text.
  bool Next();
  // Of the current record; valid until Next.
  const std::vector<std::string_view>& fields() const { return fields_; }
  // Its bytes, without the line end.
  std::string_view record() const { return record_; }
  uint64_t line() const { return line_; }  // where the record starts, from 1
  uint64_t last_line() const { return next_line_ - 1; }
  // What is wrong with the record's quotes; empty: nothing.
  const std::string& fault() const { return fault_; }

 private:
  bool IsEmptyLine() const;
  void ReadRecord();
  // The record from `begin` again, as one line without quoted fields.
  void ReadPlainLine(size_t begin);
  void ReadQuotedField();
  void ReadPlainField();
  // Takes the delimiter (true) or the end of the record.
  bool ConsumeDelimiter();
  char Peek() const { return text_[at_]; }
  bool AtEnd() const { return at_ == text_.size(); }

  const std::string_view text_;
  const char delimiter_;
  const char line_end_;
  size_t at_ = 0;
  uint64_t next_line_ = 1;
  uint64_t line_ = 0;
  std::string_view record_;
  std::vector<std::string_view> fields_;
  std::deque<std::string> unescaped_;  // owns fields that held doubled quotes
  std::string fault_;
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_CSV_CURSOR_H_

#include "coordinator/corpus/csv_reader.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "coordinator/corpus/csv_cursor.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/white_space.h"

namespace meanfield::corpus {
namespace {

using Fields = std::vector<std::string_view>;

std::string JoinNames(const Fields& fields) {
  std::string names;
  for (const std::string_view field : fields) {
    StrAppend(&names, names.empty() ? "" : ", ", Quoted(field));
  }
  return names;
}

// The column of this name or number in the first record.
absl::StatusOr<size_t> FindColumn(std::string_view field, std::string_view name,
                                  bool header, const Fields& fields) {
  if (header) {
    const auto matches = [&](std::string_view f) {
      return TrimBlanks(f) == name;
    };
    const auto found = std::find_if(fields.begin(), fields.end(), matches);
    if (found != fields.end()) {
      if (std::find_if(found + 1, fields.end(), matches) == fields.end()) {
        return static_cast<size_t>(found - fields.begin());
      }
      return absl::InvalidArgumentError(
          StrCat("saw the column ", Quoted(name),
                 " twice in the header, expected one for ", field));
    }
  }
  size_t number = 0;
  if (absl::SimpleAtoi(AbslView(name), &number) && number < fields.size()) {
    return number;
  }
  return absl::InvalidArgumentError(
      StrCat("saw ", fields.size(), " columns", header ? " named " : "",
             header ? JoinNames(fields) : "", ", expected one for ", field, " ",
             Quoted(name), header ? "" : " (with header: false, a number)"));
}

struct Columns {
  size_t text = 0;
  size_t label = 0;
  size_t count = 0;
  uint64_t first_line = 0;
};

absl::StatusOr<Columns> FindColumns(const CsvReaderOptions& options,
                                    const CsvCursor& first) {
  Columns columns{.count = first.fields().size(), .first_line = first.line()};
  MEANFIELD_ASSIGN_OR_RETURN(columns.text,
                             FindColumn("text_column", options.text_column,
                                        options.header, first.fields()));
  MEANFIELD_ASSIGN_OR_RETURN(columns.label,
                             FindColumn("label_column", options.label_column,
                                        options.header, first.fields()));
  return columns;
}

// Text and label of a two-column record with delimiters too many; no quotes.
bool JoinText(std::string_view record, char delimiter, const Columns& columns,
              Fields& fields) {
  if (columns.count != 2 || fields.size() < 3 ||
      record.find('"') != std::string_view::npos) {
    return false;
  }
  const size_t at =
      columns.text == 0 ? record.rfind(delimiter) : record.find(delimiter);
  fields = {record.substr(0, at), record.substr(at + 1)};
  return true;
}

bool DropEmpty(size_t count, Fields& fields) {
  const auto empty = [](std::string_view field) { return field.empty(); };
  if (fields.size() <= count ||
      !std::all_of(fields.begin() + static_cast<ptrdiff_t>(count), fields.end(),
                   empty)) {
    return false;
  }
  fields.resize(count);
  return true;
}

// Reads the records after the first.
class RecordReader {
 public:
  RecordReader(const TextFile& file, const CsvReaderOptions& options,
               const Columns& columns, BadLines policy, SampleSink& sink)
      : file_(file),
        options_(options),
        columns_(columns),
        policy_(policy),
        sink_(sink) {}

  void Read(const CsvCursor& cursor) {
    const uint64_t line = cursor.line();
    if (policy_ == BadLines::kLeaveOut &&
        file_.IsFaulty(line, cursor.last_line())) {
      sink_.LeftOut(line);
      return;
    }
    fields_ = cursor.fields();
    std::string what = cursor.fault();
    std::string mended =
        what.empty() ? "" : "read its quotes as ordinary characters";
    if (fields_.size() != columns_.count) {
      what = StrCat(what, what.empty() ? "" : "; ", "saw ", fields_.size(),
                    " columns, expected ", columns_.count, " as in line ",
                    columns_.first_line);
      mended = Mend(cursor.record());
    }
    if (what.empty()) {
      Add(line);
    } else if (policy_ == BadLines::kMend && !mended.empty()) {
      sink_.Fixed(line, StrCat(what, "; ", mended));
      Add(line);
    } else {
      LeaveOut(line, std::move(what));
    }
  }

 private:
  // How a record of odd width is read, or nothing.
  std::string Mend(std::string_view record) {
    if (DropEmpty(columns_.count, fields_)) return "dropped the empty ones";
    if (JoinText(record, options_.delimiter, columns_, fields_)) {
      return "read the rest as part of the text";
    }
    return "";
  }

  void Add(uint64_t line) {
    SplitLabels(fields_[columns_.label], options_.labels, labels_);
    if (labels_.empty() && !options_.labels.multi_label) {
      LeaveOut(line, "saw an empty label column, expected a label");
      return;
    }
    SplitAtWhiteSpace(fields_[columns_.text], tokens_);
    sink_.Add({.tokens = tokens_, .labels = labels_, .line = line});
  }

  void LeaveOut(uint64_t line, std::string what) {
    sink_.Fault(line, std::move(what));
    sink_.LeftOut(line);
  }

  const TextFile& file_;
  const CsvReaderOptions& options_;
  const Columns& columns_;
  const BadLines policy_;
  SampleSink& sink_;
  Fields fields_;  // of the current record
  std::vector<std::string_view> labels_;
  std::vector<std::string_view> tokens_;
};

}  // namespace

absl::Status CsvReader::Read(const TextFile& file, BadLines policy,
                             SampleSink& sink) const {
  CsvCursor cursor(file.text(), options_.delimiter, file.line_end());
  if (!cursor.Next()) return absl::OkStatus();
  const absl::StatusOr<Columns> columns = FindColumns(options_, cursor);
  if (!columns.ok()) {
    return absl::InvalidArgumentError(StrCat(file.name(), ":", cursor.line(),
                                             ": ", columns.status().message()));
  }
  RecordReader records(file, options_, *columns, policy, sink);
  if (!options_.header) records.Read(cursor);
  while (cursor.Next()) records.Read(cursor);
  return absl::OkStatus();
}

}  // namespace meanfield::corpus

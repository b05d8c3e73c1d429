#include "coordinator/corpus/csv_reader.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "common/base/strings.h"
#include "coordinator/corpus/csv_cursor.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/white_space.h"

namespace meanfield::corpus {
namespace {

std::string JoinNames(const std::vector<std::string_view>& fields) {
  std::string names;
  for (const std::string_view field : fields) {
    StrAppend(&names, names.empty() ? "" : ", ", Quoted(field));
  }
  return names;
}

struct Columns {
  size_t text = 0;
  size_t label = 0;
  size_t count = 0;
  uint64_t first_line = 0;
};

// The column of this name or number in the first record, or a fault.
std::optional<size_t> FindColumn(std::string_view field, std::string_view name,
                                 bool header, const CsvCursor& first,
                                 SampleSink& sink) {
  const std::vector<std::string_view>& fields = first.fields();
  if (header) {
    const auto matches = [&](std::string_view f) {
      return TrimBlanks(f) == name;
    };
    const auto found = std::find_if(fields.begin(), fields.end(), matches);
    if (found != fields.end()) {
      if (std::find_if(found + 1, fields.end(), matches) == fields.end()) {
        return static_cast<size_t>(found - fields.begin());
      }
      sink.Fault(first.line(), StrCat("saw the column ", Quoted(name),
                                      " twice in the header, expected "
                                      "one for ",
                                      field));
      return std::nullopt;
    }
  }
  size_t number = 0;
  if (absl::SimpleAtoi(AbslView(name), &number) && number < fields.size())
    return number;
  sink.Fault(
      first.line(),
      StrCat("saw ", fields.size(), " columns", header ? " named " : "",
             header ? JoinNames(fields) : "", ", expected one for ", field, " ",
             Quoted(name), header ? "" : " (with header: false, a number)"));
  return std::nullopt;
}

std::optional<Columns> FindColumns(const CsvReaderOptions& options,
                                   const CsvCursor& first, SampleSink& sink) {
  const auto text = FindColumn("text_column", options.text_column,
                               options.header, first, sink);
  const auto label = FindColumn("label_column", options.label_column,
                                options.header, first, sink);
  if (!text.has_value() || !label.has_value()) return std::nullopt;
  return Columns{*text, *label, first.fields().size(), first.line()};
}

void AddRecord(const CsvCursor& record, const Columns& columns,
               std::vector<std::string_view>& tokens, SampleSink& sink) {
  const std::vector<std::string_view>& fields = record.fields();
  if (fields.size() != columns.count) {
    sink.Fault(record.line(),
               StrCat("saw ", fields.size(), " columns, expected ",
                      columns.count, " as in line ", columns.first_line));
    return;
  }
  const std::string_view label = TrimBlanks(fields[columns.label]);
  if (label.empty()) {
    sink.Fault(record.line(), "saw an empty label column, expected a label");
    return;
  }
  SplitAtWhiteSpace(fields[columns.text], tokens);
  sink.Add({.tokens = tokens, .label = label, .line = record.line()});
}

}  // namespace

void CsvReader::Read(const TextFile& file, SampleSink& sink) const {
  std::optional<Columns> columns;
  std::vector<std::string_view> tokens;
  CsvCursor cursor(file.text(), options_.delimiter, file.line_end());
  while (cursor.Next()) {
    if (!cursor.fault().empty()) {
      sink.Fault(cursor.line(), cursor.fault());
      continue;
    }
    if (!columns.has_value()) {
      columns = FindColumns(options_, cursor, sink);
      if (!columns.has_value()) return;
      if (options_.header) continue;
    }
    AddRecord(cursor, *columns, tokens, sink);
  }
}

}  // namespace meanfield::corpus

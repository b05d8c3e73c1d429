#include "coordinator/corpus/column_reader.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "common/base/strings.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/sentence_builder.h"
#include "coordinator/corpus/white_space.h"

namespace meanfield::corpus {
namespace {

constexpr std::string_view kDocumentStart = "-DOCSTART-";

// True when split at TABs.
bool SplitColumns(std::string_view line,
                  std::vector<std::string_view>& columns) {
  columns.clear();
  const bool tabs = line.find('\t') != std::string_view::npos;
  const char separator = tabs ? '\t' : ' ';
  while (true) {
    const size_t end = line.find(separator);
    const std::string_view column = line.substr(0, end);
    if (tabs) {
      columns.push_back(TrimBlanks(column));
    } else if (!column.empty()) {
      columns.push_back(column);
    }
    if (end == std::string_view::npos) return tabs;
    line.remove_prefix(end + 1);
  }
}

std::string CountText(size_t columns, bool tabs) {
  return StrCat(columns, columns == 1 ? " column" : " columns",
                tabs ? " (split at TABs)" : " (split at blanks)");
}

// How many columns the rows have; those unlike most others are faults.
class ColumnCounts {
 public:
  void Add(uint64_t line, size_t columns, bool tabs) {
    std::vector<Row>& rows = rows_[columns];
    // Only the first are ever shown, so the rest are merely counted.
    if (rows.size() < FaultList::kKept) rows.push_back({line, tabs});
    ++counts_[columns];
  }

  void ReportOddRows(SampleSink& sink) const {
    const auto most = std::max_element(
        counts_.begin(), counts_.end(),
        [](const auto& a, const auto& b) { return a.second < b.second; });
    for (const auto& [columns, rows] : rows_) {
      if (columns == most->first) continue;
      for (const Row& row : rows) {
        sink.Fault(row.line, StrCat("saw ", CountText(columns, row.tabs),
                                    " in a row, expected ", most->first,
                                    " as in most rows; rows with ", columns,
                                    ": ", counts_.at(columns)));
      }
    }
  }

 private:
  struct Row {
    uint64_t line;
    bool tabs;
  };
  std::map<size_t, uint64_t> counts_;
  std::map<size_t, std::vector<Row>> rows_;
};

}  // namespace

void ColumnReader::Read(const TextFile& file, SampleSink& sink) const {
  const size_t needed =
      std::max(options_.text_column, options_.label_column) + 1;
  SentenceBuilder sentence(sink);
  ColumnCounts counts;
  std::vector<std::string_view> columns;
  for (LineCursor cursor(file); cursor.Next();) {
    const std::string_view line = cursor.line();
    if (IsBlank(line)) {
      sentence.End();
      continue;
    }
    if (!options_.comment_prefix.empty() &&
        line.starts_with(options_.comment_prefix)) {
      continue;
    }
    const bool tabs = SplitColumns(line, columns);
    if (columns[0] == kDocumentStart ||
        (columns.size() > options_.text_column &&
         columns[options_.text_column] == kDocumentStart)) {
      sentence.End();
      sentence.StartDocument();
      continue;
    }
    if (columns.size() < needed) {
      sink.Fault(cursor.number(),
                 StrCat("saw ", CountText(columns.size(), tabs), " in ",
                        Quoted(line), ", expected at least ", needed,
                        " (text_column is ", options_.text_column,
                        ", label_column ", options_.label_column, ")"));
      continue;
    }
    if (sentence.AddRow(cursor.number(), columns[options_.text_column],
                        columns[options_.label_column])) {
      counts.Add(cursor.number(), columns.size(), tabs);
    }
  }
  sentence.End();
  counts.ReportOddRows(sink);
}

}  // namespace meanfield::corpus

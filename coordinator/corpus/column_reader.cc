#include "coordinator/corpus/column_reader.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/strings.h"
#include "coordinator/corpus/column_repair.h"
#include "coordinator/corpus/column_splitter.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/sentence_builder.h"
#include "coordinator/corpus/white_space.h"

namespace meanfield::corpus {
namespace {

constexpr std::string_view kDocumentStart = "-DOCSTART-";

bool StartsDocument(const std::vector<std::string_view>& columns,
                    size_t text_column) {
  return (!columns.empty() && columns[0] == kDocumentStart) ||
         (columns.size() > text_column &&
          columns[text_column] == kDocumentStart);
}

std::string DescribeWidth(const std::vector<std::string_view>& columns,
                          const ColumnSplitter& splitter) {
  return StrCat("saw ", columns.size(),
                columns.size() == 1 ? " column" : " columns", " (split at ",
                splitter.Separator(), ")");
}

std::string DescribeOddRow(std::string_view line,
                           const std::vector<std::string_view>& columns,
                           const ColumnSplitter& splitter,
                           const ColumnReaderOptions& options,
                           const ColumnCensus& census) {
  const size_t needed = std::max(options.text_column, options.label_column) + 1;
  if (columns.size() < needed) {
    return StrCat(DescribeWidth(columns, splitter), " in ", Quoted(line),
                  ", expected at least ", needed, " (text_column is ",
                  options.text_column, ", label_column ", options.label_column,
                  ")");
  }
  return StrCat(DescribeWidth(columns, splitter), " in ", Quoted(line),
                ", expected ", census.columns(), " as in most rows; rows with ",
                columns.size(), ": ", census.NumRows(columns.size()));
}

// Reads the rows of a file, one after the other.
class RowReader {
 public:
  RowReader(const TextFile& file, const ColumnReaderOptions& options,
            BadLines policy, SampleSink& sink)
      : file_(file),
        options_(options),
        policy_(policy),
        sink_(sink),
        splitter_(options.delimiter),
        sentence_(policy, sink, options.max_sentence_tokens) {}

  // The first pass.
  void Count(std::string_view line) {
    if (IsBlank(line) || IsComment(line)) return;
    splitter_.Split(line, columns_);
    const size_t needed =
        std::max(options_.text_column, options_.label_column) + 1;
    if (columns_.size() < needed ||
        StartsDocument(columns_, options_.text_column)) {
      return;
    }
    census_.AddRow(columns_.size(), columns_[options_.label_column]);
  }

  // The second.
  void Read(uint64_t number, std::string_view line) {
    if (IsBlank(line)) {
      sentence_.End();
      return;
    }
    if (IsComment(line)) return;
    splitter_.Split(line, columns_);
    if (StartsDocument(columns_, options_.text_column)) {
      sentence_.End();
      sentence_.StartDocument();
    } else if (policy_ == BadLines::kLeaveOut &&
               file_.IsFaulty(number, number)) {
      sentence_.Spoil(number);
    } else if (columns_.size() == census_.columns() || Mend(number, line)) {
      sentence_.AddRow(number, columns_[options_.text_column],
                       columns_[options_.label_column]);
    }
  }

  void End() { sentence_.End(); }

 private:
  bool IsComment(std::string_view line) const {
    return !options_.comment_prefix.empty() &&
           line.starts_with(options_.comment_prefix);
  }

  // A row of odd width. False: there is no reading it.
  bool Mend(uint64_t number, std::string_view line) {
    std::string what =
        DescribeOddRow(line, columns_, splitter_, options_, census_);
    std::string mended;
    if (policy_ == BadLines::kMend) {
      mended = MendRow({.line = line,
                        .at_runs = splitter_.AtRuns(),
                        .text_column = options_.text_column,
                        .label_column = options_.label_column},
                       census_, columns_);
    }
    if (mended.empty()) {
      sentence_.Fault(number, std::move(what));
      return false;
    }
    sink_.Fixed(number, StrCat(what, "; ", mended));
    return true;
  }

  const TextFile& file_;
  const ColumnReaderOptions& options_;
  const BadLines policy_;
  SampleSink& sink_;
  ColumnSplitter splitter_;
  SentenceBuilder sentence_;
  ColumnCensus census_;
  std::vector<std::string_view> columns_;  // of the current row
};

}  // namespace

absl::Status ColumnReader::Read(const TextFile& file, BadLines policy,
                                SampleSink& sink) const {
  RowReader rows(file, options_, policy, sink);
  for (LineCursor cursor(file); cursor.Next();) rows.Count(cursor.line());
  for (LineCursor cursor(file); cursor.Next();) {
    rows.Read(cursor.number(), cursor.line());
  }
  rows.End();
  return absl::OkStatus();
}

}  // namespace meanfield::corpus

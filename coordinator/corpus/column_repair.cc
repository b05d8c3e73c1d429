#include "coordinator/corpus/column_repair.h"

#include <algorithm>
#include <utility>

#include "common/base/strings.h"
#include "coordinator/corpus/column_splitter.h"

namespace meanfield::corpus {
namespace {

bool DropEmpty(size_t expected, std::vector<std::string_view>& columns) {
  std::vector<std::string_view> full;
  for (const std::string_view column : columns) {
    if (!column.empty()) full.push_back(column);
  }
  if (full.size() != expected || columns.size() < expected) return false;
  columns = std::move(full);
  return true;
}

bool JoinWord(const RowToMend& row, const ColumnCensus& census,
              std::vector<std::string_view>& columns) {
  if (census.columns() != 2 || row.text_column != 0 || !row.at_runs ||
      columns.size() < 3 || !census.IsTag(columns.back())) {
    return false;
  }
  const char* const begin = columns.front().data();
  const std::string_view last = columns[columns.size() - 2];
  const std::string_view word(
      begin, static_cast<size_t>(last.data() + last.size() - begin));
  columns = {word, columns.back()};
  return true;
}

bool SplitAnyway(const RowToMend& row, const ColumnCensus& census,
                 std::vector<std::string_view>& columns) {
  if (row.at_runs || columns.size() != 1) return false;
  std::vector<std::string_view> parts;
  SplitAtRuns(row.line, parts);
  if (parts.size() != census.columns() ||
      !census.IsTag(parts[row.label_column])) {
    return false;
  }
  columns = std::move(parts);
  return true;
}

}  // namespace

void ColumnCensus::AddRow(size_t columns, std::string_view tag) {
  Width& width = widths_[columns];
  ++width.rows;
  width.tags.insert(tag);
}

size_t ColumnCensus::columns() const {
  const auto most = std::max_element(widths_.begin(), widths_.end(),
                                     [](const auto& a, const auto& b) {
                                       return a.second.rows < b.second.rows;
                                     });
  return most == widths_.end() ? 0 : most->first;
}

uint64_t ColumnCensus::NumRows(size_t columns) const {
  const auto found = widths_.find(columns);
  return found == widths_.end() ? 0 : found->second.rows;
}

bool ColumnCensus::IsTag(std::string_view text) const {
  const auto found = widths_.find(columns());
  return found != widths_.end() && found->second.tags.contains(text);
}

std::string MendRow(const RowToMend& row, const ColumnCensus& census,
                    std::vector<std::string_view>& columns) {
  if (census.columns() == 0) return "";
  if (DropEmpty(census.columns(), columns)) return "read without empty columns";
  if (JoinWord(row, census, columns)) {
    return "read the last column as the tag, all before as the word";
  }
  if (SplitAnyway(row, census, columns)) return "split at blanks";
  return "";
}

}  // namespace meanfield::corpus

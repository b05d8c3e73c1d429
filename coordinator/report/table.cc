#include "coordinator/report/table.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "coordinator/report/display_width.h"

namespace meanfield::report {
namespace {

constexpr size_t kLineWidth = 80;

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  rows_.push_back(std::move(titles));
}

void Table::AddRow(std::vector<std::string> cells) {
  MEANFIELD_CHECK(cells.size() == columns_.size(), "a cell for every column");
  rows_.push_back(std::move(cells));
}

std::string Table::ToString() const {
  std::vector<size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(
          widths[i], std::min(DisplayWidth(row[i]), columns_[i].max_width));
    }
  }
  std::string text;
  for (const auto& row : rows_) text += Line(row, widths) + "\n";
  return text;
}

std::string Table::Line(const std::vector<std::string>& cells,
                        const std::vector<size_t>& widths) const {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    line += "  ";
    line += columns_[i].align == Align::kLeft ? FitLeft(cells[i], widths[i])
                                              : FitRight(cells[i], widths[i]);
  }
  line = Cut(line, kLineWidth);
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace meanfield::report

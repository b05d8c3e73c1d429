#ifndef MEANFIELD_COORDINATOR_REPORT_TABLE_H_
#define MEANFIELD_COORDINATOR_REPORT_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

namespace meanfield::report {

// A table in plain text: columns as wide as their widest cell, two blanks apart
// and indented by two, no line above 80 columns.
class Table {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kRight;
    size_t max_width = 80;  // longer cells are cut with "…"
  };
  explicit Table(std::vector<Column> columns);

  // As many cells as columns.
  void AddRow(std::vector<std::string> cells);
  // Title line and rows, each with its newline.
  std::string ToString() const;

 private:
  std::string Line(const std::vector<std::string>& cells,
                   const std::vector<size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  // the titles first
};

}  // namespace meanfield::report

#endif  // MEANFIELD_COORDINATOR_REPORT_TABLE_H_

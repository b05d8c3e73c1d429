#include "coordinator/corpus/column_splitter.h"

#include <cstddef>

#include "common/base/strings.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/white_space.h"

namespace meanfield::corpus {

void SplitAtRuns(std::string_view line,
                 std::vector<std::string_view>& columns) {
  columns.clear();
  while (true) {
    const size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return;
    line.remove_prefix(begin);
    const size_t end = line.find_first_of(" \t");
    columns.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return;
    line.remove_prefix(end);
  }
}

void ColumnSplitter::Split(std::string_view line,
                           std::vector<std::string_view>& columns) {
  separator_ = delimiter_;
  if (delimiter_ == '\0') {
    separator_ = line.find('\t') != std::string_view::npos ? '\t' : ' ';
  }
  if (AtRuns()) {
    SplitAtRuns(line, columns);
    return;
  }
  columns.clear();
  while (true) {
    const size_t end = line.find(separator_);
    columns.push_back(TrimBlanks(line.substr(0, end)));
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
  }
}

std::string ColumnSplitter::Separator() const {
  if (AtRuns()) return "blanks";
  if (separator_ == '\t') return "TABs";
  return Quoted(std::string_view(&separator_, 1));
}

}  // namespace meanfield::corpus

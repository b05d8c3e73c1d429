#ifndef MEANFIELD_COORDINATOR_CORPUS_COLUMN_SPLITTER_H_
#define MEANFIELD_COORDINATOR_CORPUS_COLUMN_SPLITTER_H_

#include <string>
#include <string_view>
#include <vector>

namespace meanfield::corpus {

// The columns of a row. Without a delimiter a row that holds a TAB is split at
// TABs only (so that a token may hold blanks, and two TABs mean an empty column
// between), any other at runs of blanks. The delimiter ' ' splits at runs of
// blanks and TABs, any other at each occurrence. Blanks around a column that
// ends at a TAB or delimiter don't belong to it.
class ColumnSplitter {
 public:
  // `delimiter`: '\0' is none.
  explicit ColumnSplitter(char delimiter) : delimiter_(delimiter) {}

  void Split(std::string_view line, std::vector<std::string_view>& columns);

  // What the last row was split at.
  bool AtRuns() const { return separator_ == ' '; }
  std::string Separator() const;

 private:
  const char delimiter_;
  char separator_ = ' ';
};

// At runs of blanks and TABs.
void SplitAtRuns(std::string_view line, std::vector<std::string_view>& columns);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_COLUMN_SPLITTER_H_

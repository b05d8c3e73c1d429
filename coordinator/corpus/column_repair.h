#ifndef MEANFIELD_COORDINATOR_CORPUS_COLUMN_REPAIR_H_
#define MEANFIELD_COORDINATOR_CORPUS_COLUMN_REPAIR_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"

namespace meanfield::corpus {

// What a first pass over the rows of a column file shows: how many columns they
// have, and the tags of those that have as many as most.
class ColumnCensus {
 public:
  // A row of text (no comment, no blank line).
  void AddRow(size_t columns, std::string_view tag);

  // As many as most rows have; the fewer where two numbers are as frequent. 0
  // without a row.
  size_t columns() const;
  uint64_t NumRows(size_t columns) const;
  // A tag of a row with as many columns as most.
  bool IsTag(std::string_view text) const;

 private:
  struct Width {
    uint64_t rows = 0;
    absl::flat_hash_set<std::string_view> tags;
  };
  std::map<size_t, Width> widths_;
};

// Mends a row with more or fewer columns than most, where it is plain what was
// meant: empty columns beside the expected number of full ones are dropped; in
// a file of word and tag, split at blanks, all before a last column that is a
// tag is the word; a row without the file's delimiter but with the expected
// number of parts between blanks is those. Returns how it was read, or nothing.
struct RowToMend {
  std::string_view line;
  bool at_runs = false;  // of blanks, and not at a delimiter
  size_t text_column = 0;
  size_t label_column = 0;
};
std::string MendRow(const RowToMend& row, const ColumnCensus& census,
                    std::vector<std::string_view>& columns);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_COLUMN_REPAIR_H_

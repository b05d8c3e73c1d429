#ifndef MEANFIELD_COORDINATOR_CORPUS_COLUMN_PROFILE_H_
#define MEANFIELD_COORDINATOR_CORPUS_COLUMN_PROFILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace meanfield::corpus {

// What the values of a column look like. Views must outlive the profile.
class ColumnProfile {
 public:
  void Add(std::string_view value);

  uint64_t values() const { return values_; }
  size_t distinct() const { return counts_.size(); }
  uint64_t CountOf(std::string_view value) const;
  double words() const { return Mean(words_); }            // of a value
  double characters() const { return Mean(characters_); }  // of a value
  bool IsEmpty() const { return empty_ == values_; }
  // Nearly all are whole numbers.
  bool IsNumbers() const { return Most(integers_); }
  // Nearly all are "O" (or "_"), or B-, I-, E- or S- and a class of letters,
  // digits, '-' and '_'; the latter do occur.
  bool IsSpanTags() const { return span_tags_ > 0 && no_tags_ * 50 <= values_; }
  // All are "O": tags of a text without a span.
  bool IsOutsideOnly() const { return values_ > 0 && CountOf("O") == values_; }
  // Running text.
  bool IsText() const { return words() >= 2 || characters() >= 25; }

  // "12 different values, 1.0 words each, for example "x", "y"".
  std::string Describe() const;

 private:
  double Mean(uint64_t sum) const {
    return values_ == 0
               ? 0
               : static_cast<double>(sum) / static_cast<double>(values_);
  }
  bool Most(uint64_t count) const {
    return values_ > 0 && count * 20 >= values_ * 19;
  }

  uint64_t values_ = 0;
  uint64_t empty_ = 0;
  uint64_t integers_ = 0;
  uint64_t span_tags_ = 0;  // with a class
  uint64_t no_tags_ = 0;
  uint64_t words_ = 0;
  uint64_t characters_ = 0;
  absl::flat_hash_map<std::string_view, uint64_t> counts_;
  std::vector<std::string_view> examples_;
};

// The profiles of the rows that have as many columns as most.
struct TableProfile {
  size_t width = 0;   // 0: no row
  uint64_t rows = 0;  // of that width
  double share = 0;   // of all
  std::vector<ColumnProfile> columns;
};
using Rows = std::vector<std::vector<std::string_view>>;
TableProfile ProfileRows(const Rows& rows);

// A line for each column, for people.
std::string DescribeColumns(const TableProfile& profile,
                            const std::vector<std::string_view>& names);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_COLUMN_PROFILE_H_

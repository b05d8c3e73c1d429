#include "coordinator/corpus/column_profile.h"

#include <algorithm>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "common/base/strings.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/span_tags.h"
#include "coordinator/corpus/white_space.h"

namespace meanfield::corpus {
namespace {

bool IsInteger(std::string_view value) {
  return !value.empty() &&
         value.find_first_not_of("0123456789") == std::string_view::npos;
}

bool IsClass(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' ||
           c == '_' || static_cast<unsigned char>(c) >= 0x80;
  });
}

}  // namespace

void ColumnProfile::Add(std::string_view value) {
  constexpr size_t kExamples = 4;
  ++values_;
  empty_ += value.empty() ? 1 : 0;
  integers_ += IsInteger(value) ? 1 : 0;
  if (HasSpanPrefix(value) && (value.size() == 2 || IsClass(value.substr(2)))) {
    ++span_tags_;
  } else if (!IsOutside(value)) {
    ++no_tags_;
  }
  std::vector<std::string_view> parts;
  SplitAtWhiteSpace(value, parts);
  words_ += parts.size();
  characters_ += static_cast<uint64_t>(std::count_if(
      value.begin(), value.end(),
      [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  if (++counts_[value] == 1 && examples_.size() < kExamples) {
    examples_.push_back(value);
  }
}

uint64_t ColumnProfile::CountOf(std::string_view value) const {
  const auto found = counts_.find(value);
  return found == counts_.end() ? 0 : found->second;
}

std::string ColumnProfile::Describe() const {
  std::string text =
      absl::StrFormat("%d different value%s, %.1f words each", distinct(),
                      distinct() == 1 ? "" : "s", words());
  const char* separator = ", for example ";
  for (const std::string_view example : examples_) {
    StrAppend(&text, separator, Quoted(example));
    separator = ", ";
  }
  return text;
}

TableProfile ProfileRows(const Rows& rows) {
  std::map<size_t, uint64_t> widths;
  for (const auto& row : rows) ++widths[row.size()];
  TableProfile profile;
  if (rows.empty()) return profile;
  const auto most = std::max_element(
      widths.begin(), widths.end(),
      [](const auto& a, const auto& b) { return a.second < b.second; });
  profile.width = most->first;
  profile.rows = most->second;
  profile.share =
      static_cast<double>(profile.rows) / static_cast<double>(rows.size());
  profile.columns.resize(profile.width);
  for (const auto& row : rows) {
    if (row.size() != profile.width) continue;
    for (size_t i = 0; i < row.size(); ++i) profile.columns[i].Add(row[i]);
  }
  return profile;
}

std::string DescribeColumns(const TableProfile& profile,
                            const std::vector<std::string_view>& names) {
  constexpr size_t kShown = 12;
  std::string text;
  for (size_t i = 0; i < profile.columns.size(); ++i) {
    if (i == kShown) {
      return StrCat(text, "\n  and ", profile.columns.size() - i, " more");
    }
    StrAppend(&text, "\n  column ", i,
              i < names.size() ? StrCat(" ", Quoted(names[i])) : "", ": ",
              profile.columns[i].Describe());
  }
  return text;
}

}  // namespace meanfield::corpus

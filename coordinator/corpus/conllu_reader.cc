#include "coordinator/corpus/conllu_reader.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "common/base/strings.h"
#include "coordinator/corpus/column_splitter.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/sentence_builder.h"
#include "coordinator/corpus/white_space.h"

namespace meanfield::corpus {
namespace {

constexpr size_t kColumns = 10;
constexpr size_t kFeats = 5;
constexpr size_t kMisc = 9;
constexpr std::string_view kEmpty = "_";
using Row = std::array<std::string_view, kColumns>;

enum class RowKind { kWord, kRange, kEmptyNode, kInvalid };

bool IsNumber(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

RowKind KindOf(std::string_view id) {
  if (IsNumber(id)) return RowKind::kWord;
  const size_t at = id.find_first_of("-.");
  if (at == std::string_view::npos || !IsNumber(id.substr(0, at)) ||
      !IsNumber(id.substr(at + 1))) {
    return RowKind::kInvalid;
  }
  return id[at] == '-' ? RowKind::kRange : RowKind::kEmptyNode;
}

// The number of columns; those beyond the tenth are only counted. `end`: of the
// tenth, or of the line.
size_t SplitRow(std::string_view line, Row& row, size_t& end) {
  size_t count = 0;
  size_t begin = 0;
  end = line.size();
  while (true) {
    const size_t tab = std::min(line.find('\t', begin), line.size());
    if (count < kColumns) {
      row[count] = line.substr(begin, tab - begin);
      end = tab;
    }
    ++count;
    if (tab == line.size()) return count;
    begin = tab + 1;
  }
}

// How a row of so many columns can be read as ten, or nothing.
std::string MendWidth(std::string_view line, size_t columns, size_t end,
                      Row& row) {
  if (columns > kColumns) {
    return IsBlank(line.substr(end)) ? "read without the empty ones" : "";
  }
  std::vector<std::string_view> parts;
  SplitAtRuns(line, parts);
  if (columns > 1 || parts.size() != kColumns) return "";
  std::copy(parts.begin(), parts.end(), row.begin());
  return "split at blanks";
}

std::string_view LabelOf(const Row& row, const ConlluLabel& label) {
  const std::string_view column = row[label.column];
  if (label.key.empty()) return column;
  for (const absl::string_view piece : absl::StrSplit(AbslView(column), '|')) {
    const std::string_view part = StdView(piece);
    const size_t equals = part.find('=');
    if (equals != std::string_view::npos &&
        part.substr(0, equals) == label.key) {
      return part.substr(equals + 1);
    }
  }
  return kEmpty;
}

// Reads the rows of a file, one after the other.
class RowReader {
 public:
  RowReader(const TextFile& file, const ConlluLabel& label, BadLines policy,
            SampleSink& sink)
      : file_(file),
        label_(label),
        policy_(policy),
        sink_(sink),
        sentence_(policy, sink) {}

  void Read(uint64_t number, std::string_view line) {
    if (IsBlank(line)) {
      sentence_.End();
    } else if (policy_ == BadLines::kLeaveOut && line.front() != '#' &&
               file_.IsFaulty(number, number)) {
      sentence_.Spoil(number);
    } else if (line.front() != '#' && Split(number, line)) {
      AddRow(number);
    }
  }

  void End() { sentence_.End(); }

 private:
  bool Split(uint64_t number, std::string_view line) {
    size_t end = 0;
    const size_t columns = SplitRow(line, row_, end);
    if (columns == kColumns) return true;
    std::string what = StrCat("saw ", columns, " columns split at TABs in ",
                              Quoted(line), ", expected ", kColumns);
    const std::string mended =
        policy_ == BadLines::kMend ? MendWidth(line, columns, end, row_) : "";
    if (mended.empty()) {
      sentence_.Fault(number, std::move(what));
      return false;
    }
    sink_.Fixed(number, StrCat(what, "; ", mended));
    return true;
  }

  void AddRow(uint64_t number) {
    switch (KindOf(row_[0])) {
      case RowKind::kWord:
        AddWord(number);
        break;
      case RowKind::kRange:
      case RowKind::kEmptyNode:
        break;
      case RowKind::kInvalid:
        sentence_.Fault(number,
                        StrCat("saw id ", Quoted(row_[0]),
                               ", expected a number, a range such as 3-4 or "
                               "an empty node such as 2.1"));
        break;
    }
  }

  void AddWord(uint64_t number) {
    std::string_view label = LabelOf(row_, label_);
    if (label.empty() && !row_[1].empty() && policy_ == BadLines::kMend) {
      sink_.Fixed(number, StrCat("saw an empty tag for token ", Quoted(row_[1]),
                                 ", read as \"_\""));
      label = kEmpty;
    }
    sentence_.AddRow(number, row_[1], label);
  }

  const TextFile& file_;
  const ConlluLabel& label_;
  const BadLines policy_;
  SampleSink& sink_;
  SentenceBuilder sentence_;
  Row row_;
};

}  // namespace

absl::StatusOr<ConlluLabel> ParseConlluLabel(std::string_view name) {
  if (name == "upos") return ConlluLabel{.column = 3};
  if (name == "xpos") return ConlluLabel{.column = 4};
  if (name == "deprel") return ConlluLabel{.column = 7};
  for (const auto& [prefix, column] :
       {std::pair("feats:", kFeats), std::pair("misc:", kMisc)}) {
    const std::string_view start = prefix;
    if (name.starts_with(start) && name.size() > start.size()) {
      return ConlluLabel{.column = column,
                         .key = std::string(name.substr(start.size()))};
    }
  }
  return absl::InvalidArgumentError(
      StrCat("conllu label ", Quoted(name),
             ": expected upos, xpos, deprel, feats:NAME or misc:NAME"));
}

absl::Status ConlluReader::Read(const TextFile& file, BadLines policy,
                                SampleSink& sink) const {
  RowReader rows(file, label_, policy, sink);
  for (LineCursor cursor(file); cursor.Next();) {
    rows.Read(cursor.number(), cursor.line());
  }
  rows.End();
  return absl::OkStatus();
}

}  // namespace meanfield::corpus

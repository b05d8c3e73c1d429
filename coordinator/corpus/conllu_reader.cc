#include "coordinator/corpus/conllu_reader.h"

#include <array>
#include <cstdint>
#include <utility>

#include "absl/strings/str_split.h"
#include "common/base/strings.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/sentence_builder.h"
#include "coordinator/corpus/white_space.h"

namespace meanfield::corpus {
namespace {

constexpr size_t kColumns = 10;
constexpr size_t kFeats = 5;
constexpr size_t kMisc = 9;
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

// The number of columns; those beyond the tenth are only counted.
size_t SplitRow(std::string_view line, Row& row) {
  size_t count = 0;
  while (true) {
    const size_t end = line.find('\t');
    if (count < kColumns) row[count] = line.substr(0, end);
    ++count;
    if (end == std::string_view::npos) return count;
    line.remove_prefix(end + 1);
  }
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
  return "_";
}

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

void ConlluReader::Read(const TextFile& file, SampleSink& sink) const {
  SentenceBuilder sentence(sink);
  Row row;
  for (LineCursor cursor(file); cursor.Next();) {
    const std::string_view line = cursor.line();
    if (IsBlank(line)) {
      sentence.End();
      continue;
    }
    if (line.front() == '#') continue;
    if (const size_t columns = SplitRow(line, row); columns != kColumns) {
      sink.Fault(cursor.number(),
                 StrCat("saw ", columns, " columns split at TABs in ",
                        Quoted(line), ", expected ", kColumns));
      continue;
    }
    switch (KindOf(row[0])) {
      case RowKind::kWord:
        sentence.AddRow(cursor.number(), row[1], LabelOf(row, label_));
        break;
      case RowKind::kRange:
      case RowKind::kEmptyNode:
        break;
      case RowKind::kInvalid:
        sink.Fault(cursor.number(),
                   StrCat("saw id ", Quoted(row[0]),
                          ", expected a number, a range such as 3-4 or "
                          "an empty node such as 2.1"));
        break;
    }
  }
  sentence.End();
}

}  // namespace meanfield::corpus

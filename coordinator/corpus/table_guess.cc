#include "coordinator/corpus/table_guess.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "coordinator/corpus/column_profile.h"
#include "coordinator/corpus/csv_cursor.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/white_space.h"

namespace meanfield::corpus {
namespace {

constexpr std::string_view kTextNames[] = {
    "text",  "texts",       "sentence", "message",   "msg",     "review",
    "tweet", "content",     "body",     "utterance", "query",   "comment",
    "post",  "description", "document", "question",  "abstract"};
constexpr std::string_view kLabelNames[] = {
    "label",     "labels", "category", "class",   "topic",
    "intent",    "target", "tag",      "section", "sentiment",
    "sentiment", "genre",  "polarity", "emotion", "language",
    "lang",      "stars",  "rating",   "y"};

template <size_t kSize>
bool IsAmong(std::string_view name, const std::string_view (&names)[kSize]) {
  const std::string plain = absl::AsciiStrToLower(AbslView(TrimBlanks(name)));
  return std::find(std::begin(names), std::end(names), plain) !=
         std::end(names);
}

// The records of a sample, with one delimiter.
struct Table {
  char delimiter = ',';
  bool header = false;
  bool quotes = false;  // quoted fields
  uint64_t faults = 0;  // of quotes
  std::deque<std::string> unescaped;
  std::vector<std::string_view> first;
  TableProfile profile;  // of all records but the header

  bool IsNamed(size_t i, bool text) const {
    return header && (text ? IsAmong(first[i], kTextNames)
                           : IsAmong(first[i], kLabelNames));
  }
};

Rows ReadRecords(const LineSample& sample, char delimiter, Table& table) {
  Rows rows;
  CsvCursor cursor(sample.text, delimiter, sample.line_end);
  while (cursor.Next()) {
    if (!cursor.fault().empty()) ++table.faults;
    table.quotes |= cursor.fault().empty() &&
                    cursor.record().find('"') != std::string_view::npos;
    std::vector<std::string_view>& row = rows.emplace_back();
    for (const std::string_view field : cursor.fields()) {
      const bool inside = field.data() >= sample.text.data() &&
                          field.data() + field.size() <=
                              sample.text.data() + sample.text.size();
      row.push_back(
          TrimBlanks(inside ? field : table.unescaped.emplace_back(field)));
    }
  }
  return rows;
}

bool CanBeLabels(const ColumnProfile& column) {
  return column.distinct() >= 2 && column.distinct() < column.values() &&
         column.distinct() * 2 <= column.values() + 10 && column.words() <= 3 &&
         !column.IsEmpty();
}

// Whether the first record names the columns: no cell of it occurs again, and
// it has the name of a text or a label, or is short above running text.
bool IsHeader(const Rows& rows, size_t width) {
  if (rows.size() < 2 || rows[0].size() != width) return false;
  const TableProfile rest = ProfileRows(Rows(rows.begin() + 1, rows.end()));
  if (rest.width != width) return false;
  bool named = false;
  bool above_text = false;
  for (size_t i = 0; i < width; ++i) {
    const std::string_view cell = rows[0][i];
    const ColumnProfile& column = rest.columns[i];
    double number = 0;
    if (column.CountOf(cell) > 0 || absl::SimpleAtod(AbslView(cell), &number)) {
      return false;
    }
    named |= IsAmong(cell, kTextNames) || IsAmong(cell, kLabelNames);
    above_text |= column.IsText() && column.words() >= 4 &&
                  cell.find(' ') == std::string_view::npos;
  }
  return named || (above_text && rows.size() > 20);
}

Table MakeTable(const LineSample& sample, char delimiter,
                std::optional<bool> header) {
  Table table{.delimiter = delimiter};
  Rows rows = ReadRecords(sample, delimiter, table);
  if (rows.empty()) return table;
  table.first = rows[0];
  table.header = header.value_or(IsHeader(rows, ProfileRows(rows).width));
  if (table.header) rows.erase(rows.begin());
  table.profile = ProfileRows(rows);
  return table;
}

std::vector<std::string_view> NamesOf(const Table& table) {
  return table.header ? table.first : std::vector<std::string_view>();
}

absl::Status Undecided(const Table& table, std::string_view what) {
  return absl::InvalidArgumentError(
      StrCat("cannot tell which column holds ", what,
             "; say it with --text-column and --label-column (",
             table.header ? "a name or a number" : "a number", " from 0); saw ",
             table.profile.width, " columns split at ",
             Quoted(std::string_view(&table.delimiter, 1)),
             DescribeColumns(table.profile, NamesOf(table))));
}

absl::StatusOr<std::optional<size_t>> Named(std::string_view option,
                                            const std::string& value,
                                            const Table& table) {
  if (value.empty()) return std::optional<size_t>();
  size_t number = 0;
  for (size_t i = 0; table.header && i < table.first.size(); ++i) {
    if (TrimBlanks(table.first[i]) == value) return std::optional<size_t>(i);
  }
  if (absl::SimpleAtoi(value, &number) && number < table.profile.width) {
    return std::optional<size_t>(number);
  }
  return absl::InvalidArgumentError(StrCat(
      option, " is ", Quoted(value), ", but there are ", table.profile.width,
      " columns, from 0:", DescribeColumns(table.profile, NamesOf(table))));
}

// The one column that `fits`, or the one of them that the header names so.
template <typename Fits>
std::optional<size_t> TheOne(const Table& table, bool text, Fits fits) {
  std::vector<size_t> all;
  std::vector<size_t> named;
  for (size_t i = 0; i < table.profile.width; ++i) {
    if (!fits(i)) continue;
    all.push_back(i);
    if (table.IsNamed(i, text)) named.push_back(i);
  }
  if (named.size() == 1) return named[0];
  if (all.size() == 1) return all[0];
  return std::nullopt;
}

absl::StatusOr<size_t> FindText(const Table& table, const GuessOptions& options,
                                std::optional<size_t> label) {
  MEANFIELD_ASSIGN_OR_RETURN(
      const std::optional<size_t> named,
      Named("--text-column", options.text_column, table));
  if (named.has_value()) return *named;
  const std::optional<size_t> found = TheOne(table, true, [&](size_t i) {
    const ColumnProfile& column = table.profile.columns[i];
    return i != label && !column.IsNumbers() &&
           (column.IsText() || table.IsNamed(i, true));
  });
  if (found.has_value()) return *found;
  // Of two columns one is the label.
  if (table.profile.width == 2 && label.has_value()) return 1 - *label;
  return Undecided(table, "the text");
}

absl::StatusOr<size_t> FindLabel(const Table& table, size_t text) {
  const std::optional<size_t> found = TheOne(table, false, [&](size_t i) {
    return i != text && CanBeLabels(table.profile.columns[i]);
  });
  if (found.has_value()) return *found;
  return Undecided(table, "the label");
}

void SetColumns(const Table& table, size_t text, size_t label,
                FormatGuess& guess) {
  if (table.delimiter == '\t' && label == 0 && !table.header &&
      (!table.quotes || table.faults > 0)) {
    guess.corpus.mutable_label_text();
    guess.seen.push_back(StrCat("Lines of a label, a TAB and the text; ",
                                table.profile.columns[label].distinct(),
                                " different labels."));
    return;
  }
  proto::CsvFiles& csv = *guess.corpus.mutable_csv();
  const auto name = [&](size_t i) {
    const std::string column(table.header ? TrimBlanks(table.first[i]) : "");
    return column.empty() ? StrCat(i) : column;
  };
  csv.set_header(table.header);
  csv.set_delimiter(std::string(1, table.delimiter));
  csv.set_text_column(name(text));
  csv.set_label_column(name(label));
  guess.seen.push_back(StrCat(
      table.profile.width, " columns split at ",
      Quoted(std::string_view(&table.delimiter, 1)),
      table.header ? ", named in the first row" : ", without names", "; ",
      table.profile.columns[label].distinct(), " different labels."));
}

}  // namespace

std::optional<FormatGuess> GuessFastText(const LineSample& sample) {
  constexpr std::string_view kPrefix = "__label__";
  if (!sample.MostStartWith(kPrefix)) return std::nullopt;
  uint64_t lines = 0;
  uint64_t several = 0;
  for (const std::string_view line : sample.lines) {
    std::vector<std::string_view> words;
    SplitAtWhiteSpace(line, words);
    if (words.empty() || !words[0].starts_with(kPrefix)) continue;
    ++lines;
    several += words.size() > 1 && words[1].starts_with(kPrefix) ? 1 : 0;
  }
  FormatGuess guess;
  guess.corpus.mutable_fasttext();
  // Below that they are mistakes.
  guess.multi_label = several * 50 >= lines && several > 0;
  guess.seen.push_back(StrCat(
      "Lines that start with ", kPrefix,
      several > 0 ? StrCat("; ", several, " of ", lines, " have several labels")
                  : "",
      "."));
  return guess;
}

absl::StatusOr<std::optional<FormatGuess>> GuessTable(
    const LineSample& sample, const GuessOptions& options) {
  const bool asked = options.format == "csv" || options.format == "label_text";
  const std::string delimiters = options.format == "label_text" ? "\t"
                                 : options.delimiter.empty()
                                     ? "\t,;|"
                                     : options.delimiter.substr(0, 1);
  std::optional<Table> best;
  for (const char delimiter : delimiters) {
    Table table = MakeTable(sample, delimiter, options.header);
    if (table.profile.width < 2) continue;
    if (!best.has_value() || table.profile.share > best->profile.share) {
      best = std::move(table);
    }
  }
  const bool sure =
      asked || !options.delimiter.empty() || !options.text_column.empty();
  if (!best.has_value() || (!sure && best->profile.share < 0.8)) {
    return std::optional<FormatGuess>();
  }
  MEANFIELD_ASSIGN_OR_RETURN(
      std::optional<size_t> label,
      Named("--label-column", options.label_column, *best));
  if (!label.has_value() && best->profile.width == 2) {
    // A label may be as long as a text; only one of two columns repeats itself.
    const auto& columns = best->profile.columns;
    for (const size_t i : {size_t{0}, size_t{1}}) {
      if (CanBeLabels(columns[i]) &&
          columns[i].distinct() * 2 < columns[1 - i].distinct()) {
        label = i;
      }
    }
  }
  MEANFIELD_ASSIGN_OR_RETURN(const size_t text,
                             FindText(*best, options, label));
  if (!label.has_value()) {
    MEANFIELD_ASSIGN_OR_RETURN(label, FindLabel(*best, text));
  }
  FormatGuess guess;
  SetColumns(*best, text, *label, guess);
  return guess;
}

}  // namespace meanfield::corpus

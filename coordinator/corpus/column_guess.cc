#include "coordinator/corpus/column_guess.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "coordinator/corpus/column_profile.h"
#include "coordinator/corpus/column_splitter.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/white_space.h"

namespace meanfield::corpus {
namespace {

// Where a file has no blank lines; as long as long sentences are.
constexpr uint32_t kSentenceTokens = 100;

constexpr std::string_view kCommentPrefixes[] = {"# ", "#\t"};
// Of CoNLL-U.
constexpr size_t kColumns = 10;
constexpr size_t kUpos = 3;
constexpr size_t kXpos = 4;

// The rows of a sample, and how they are grouped.
struct Grid {
  Rows rows;
  uint64_t groups = 0;  // between blank lines
  std::string comment_prefix;
};

Rows SplitAll(const std::vector<std::string_view>& lines, char delimiter) {
  ColumnSplitter splitter(delimiter);
  Rows rows;
  for (const std::string_view line : lines) {
    splitter.Split(line, rows.emplace_back());
  }
  return rows;
}

// What a row is split at, and how many columns that gives.
std::pair<size_t, bool> ShapeOf(std::string_view line, char delimiter) {
  ColumnSplitter splitter(delimiter);
  std::vector<std::string_view> columns;
  splitter.Split(line, columns);
  return {columns.size(), splitter.AtRuns()};
}

// Lines that start with it are comments where most are of another shape than
// most of the rest.
bool IsComment(std::string_view prefix, const LineSample& sample,
               char delimiter) {
  std::map<std::pair<size_t, bool>, size_t> with;
  std::map<std::pair<size_t, bool>, size_t> without;
  size_t all = 0;
  for (const std::string_view line : sample.lines) {
    if (IsBlank(line)) continue;
    ++(line.starts_with(prefix) ? with : without)[ShapeOf(line, delimiter)];
    all += line.starts_with(prefix) ? 1 : 0;
  }
  if (with.empty() || without.empty()) return false;
  const auto most = std::max_element(
      without.begin(), without.end(),
      [](const auto& a, const auto& b) { return a.second < b.second; });
  return with[most->first] * 2 < all;
}

Grid MakeGrid(const LineSample& sample, char delimiter) {
  Grid grid;
  for (const std::string_view prefix : kCommentPrefixes) {
    if (IsComment(prefix, sample, delimiter)) grid.comment_prefix = prefix;
  }
  std::vector<std::string_view> lines;
  bool inside = false;
  for (const std::string_view line : sample.lines) {
    if (IsBlank(line)) {
      inside = false;
      continue;
    }
    if (line.starts_with("-DOCSTART-") ||
        (!grid.comment_prefix.empty() &&
         line.starts_with(grid.comment_prefix))) {
      continue;
    }
    if (!inside) ++grid.groups;
    inside = true;
    lines.push_back(line);
  }
  grid.rows = SplitAll(lines, delimiter);
  return grid;
}

absl::StatusOr<std::optional<size_t>> Named(std::string_view option,
                                            const std::string& value,
                                            const TableProfile& profile) {
  if (value.empty()) return std::optional<size_t>();
  size_t column = 0;
  if (absl::SimpleAtoi(value, &column) && column < profile.width) {
    return std::optional<size_t>(column);
  }
  return absl::InvalidArgumentError(
      StrCat(option, " is ", Quoted(value), ", but the rows have ",
             profile.width, " columns, from 0:", DescribeColumns(profile, {})));
}

bool CanBeTags(const ColumnProfile& column) {
  return !column.IsEmpty() && !column.IsNumbers() &&
         (column.distinct() >= 2 || column.IsOutsideOnly());
}

// The last column of span tags (chunks stand before names), else the one with
// the fewest different values; the last where all have as many.
std::optional<size_t> FindTags(const TableProfile& profile,
                               std::optional<size_t> text) {
  std::optional<size_t> found;
  for (size_t i = 0; i < profile.width; ++i) {
    if (i != text && profile.columns[i].IsSpanTags()) found = i;
  }
  if (found.has_value()) return found;
  size_t most = 0;
  for (const ColumnProfile& column : profile.columns) {
    if (!column.IsNumbers()) most = std::max(most, column.distinct());
  }
  for (size_t i = 0; i < profile.width; ++i) {
    const ColumnProfile& column = profile.columns[i];
    if (i == text || !CanBeTags(column) || column.distinct() == most) continue;
    if (!found.has_value() ||
        column.distinct() < profile.columns[*found].distinct()) {
      found = i;
    }
  }
  if (found.has_value() || profile.width < 2) return found;
  const size_t last = profile.width - 1;
  if (last != text && CanBeTags(profile.columns[last])) return last;
  return std::nullopt;
}

// The first column with nearly the most different values (lemmas have fewer
// than words).
std::optional<size_t> FindWords(const TableProfile& profile, size_t tags) {
  size_t most = 0;
  const auto fits = [&](size_t i) {
    return i != tags && !profile.columns[i].IsNumbers() &&
           !profile.columns[i].IsEmpty();
  };
  for (size_t i = 0; i < profile.width; ++i) {
    if (fits(i)) most = std::max(most, profile.columns[i].distinct());
  }
  for (size_t i = 0; i < profile.width; ++i) {
    if (fits(i) && profile.columns[i].distinct() * 10 >= most * 6) return i;
  }
  return std::nullopt;
}

// Other columns that could be learned.
std::string OtherTags(const TableProfile& profile, size_t text, size_t tags) {
  std::string others;
  for (size_t i = 0; i < profile.width; ++i) {
    if (i == text || i == tags || !CanBeTags(profile.columns[i])) continue;
    StrAppend(&others, others.empty() ? "" : "; ", "label_column: ", i, " has ",
              profile.columns[i].Describe());
  }
  return others;
}

FormatGuess ToGuess(const Grid& grid, const TableProfile& profile, size_t text,
                    size_t tags, const GuessOptions& options) {
  FormatGuess guess;
  proto::ColumnFiles& conll = *guess.corpus.mutable_conll();
  conll.set_text_column(static_cast<uint32_t>(text));
  conll.set_label_column(static_cast<uint32_t>(tags));
  if (!grid.comment_prefix.empty()) {
    conll.set_comment_prefix(grid.comment_prefix);
    guess.seen.push_back(StrCat("Lines that start with ",
                                Quoted(grid.comment_prefix),
                                " were taken as comments."));
  }
  if (!options.delimiter.empty()) conll.set_delimiter(options.delimiter);
  guess.seen.insert(
      guess.seen.begin(),
      StrCat("Rows of ", profile.width, " columns: words in column ", text,
             ", ", profile.columns[tags].distinct(),
             " different tags in column ", tags, "."));
  if (const std::string others = OtherTags(profile, text, tags);
      !others.empty()) {
    guess.seen.push_back(StrCat("To learn another column: ", others, "."));
  }
  if (grid.groups < 2 && profile.rows > 200) {
    conll.set_max_sentence_tokens(kSentenceTokens);
    guess.seen.push_back(
        StrCat("No blank line parts sentences: they are cut after \".\", "
               "\"!\" or \"?\", at ",
               kSentenceTokens, " tokens at the latest."));
  }
  return guess;
}

bool IsWordId(std::string_view id) {
  return !id.empty() &&
         id.find_first_not_of("0123456789-.") == std::string_view::npos;
}

}  // namespace

std::optional<FormatGuess> GuessConllu(const LineSample& sample,
                                       const GuessOptions& options) {
  std::vector<std::string_view> lines;
  for (const std::string_view line : sample.lines) {
    if (!IsBlank(line) && line.front() != '#') lines.push_back(line);
  }
  Rows rows = SplitAll(lines, '\t');
  const size_t all = rows.size();
  std::erase_if(rows, [](const auto& row) {
    return row.size() != kColumns || !IsWordId(row[0]);
  });
  if (rows.empty() || (options.format.empty() && rows.size() * 2 < all)) {
    return std::nullopt;
  }
  std::erase_if(rows, [](const auto& row) {
    return row[0].find_first_of("-.") != std::string_view::npos;
  });
  const TableProfile profile = ProfileRows(rows);
  if (profile.width == 0) return std::nullopt;
  FormatGuess guess;
  const ColumnProfile& upos = profile.columns[kUpos];
  const ColumnProfile& xpos = profile.columns[kXpos];
  const bool use_xpos = upos.distinct() < 2 && xpos.distinct() >= 2;
  std::string label = options.label_column;
  if (label.empty()) label = use_xpos ? "xpos" : "upos";
  guess.corpus.mutable_conllu()->set_label(label);
  guess.seen.push_back(StrCat("CoNLL-U: column UPOS has ", upos.Describe(),
                              "; XPOS has ", xpos.Describe(), "."));
  return guess;
}

absl::StatusOr<std::optional<FormatGuess>> GuessConll(
    const LineSample& sample, const GuessOptions& options) {
  const bool asked = options.format == "conll";
  const Grid grid =
      MakeGrid(sample, options.delimiter.empty() ? '\0' : options.delimiter[0]);
  const TableProfile profile = ProfileRows(grid.rows);
  if (profile.width < 2) {
    if (!asked) return std::optional<FormatGuess>();
    return absl::InvalidArgumentError(
        "saw rows of one column, expected a word and its tag in each");
  }
  if (!asked && profile.share < 0.6) return std::optional<FormatGuess>();
  absl::StatusOr<std::optional<size_t>> named_text =
      Named("--text-column", options.text_column, profile);
  absl::StatusOr<std::optional<size_t>> named_tags =
      Named("--label-column", options.label_column, profile);
  for (const auto* named : {&named_text, &named_tags}) {
    if (named->ok()) continue;
    if (asked) return named->status();
    return std::optional<FormatGuess>();
  }
  std::optional<size_t> text = *named_text;
  std::optional<size_t> tags = *named_tags;
  if (!tags.has_value()) tags = FindTags(profile, text);
  if (tags.has_value() && !text.has_value()) text = FindWords(profile, *tags);
  const bool found = tags.has_value() && text.has_value();
  if (asked) {
    if (found) return ToGuess(grid, profile, *text, *tags, options);
    return absl::InvalidArgumentError(
        StrCat("cannot tell which column holds the words and which the tags; "
               "say it with --text-column and --label-column; saw",
               DescribeColumns(profile, {})));
  }
  // Tokens, a line each: short, and in sentences or with tags of spans.
  if (!found || profile.columns[*text].words() > 1.5 ||
      profile.columns[*tags].words() > 1.2) {
    return std::optional<FormatGuess>();
  }
  const bool sentences =
      grid.groups >= 2 && grid.rows.size() * 2 >= grid.groups * 3;
  if (!sentences && !profile.columns[*tags].IsSpanTags()) {
    return std::optional<FormatGuess>();
  }
  return ToGuess(grid, profile, *text, *tags, options);
}

}  // namespace meanfield::corpus

#include "coordinator/corpus/format_guess.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/base/status.h"
#include "common/base/strings.h"
#include "coordinator/corpus/column_guess.h"
#include "coordinator/corpus/encoding_guess.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/line_sample.h"
#include "coordinator/corpus/table_guess.h"
#include "coordinator/corpus/white_space.h"

namespace meanfield::corpus {
namespace {

using MaybeGuess = absl::StatusOr<std::optional<FormatGuess>>;

constexpr std::string_view kFormats =
    "conll, conllu, fasttext, label_text or csv";

absl::Status CheckOptions(const GuessOptions& options) {
  if (options.delimiter.size() > 1) {
    return absl::InvalidArgumentError(StrCat("--delimiter is ",
                                             Quoted(options.delimiter),
                                             ", expected one character"));
  }
  if (options.format.empty()) return absl::OkStatus();
  for (const std::string_view known :
       {"conll", "conllu", "fasttext", "label_text", "csv"}) {
    if (options.format == known) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      StrCat("--format is ", Quoted(options.format), ", expected ", kFormats));
}

// The formats in the order in which they can be told from the others.
MaybeGuess TryAll(const LineSample& sample, const GuessOptions& options) {
  const auto wanted = [&](std::string_view format) {
    return options.format.empty() || options.format == format;
  };
  if (wanted("conllu")) {
    if (auto guess = GuessConllu(sample, options)) return guess;
  }
  if (wanted("fasttext")) {
    if (auto guess = GuessFastText(sample)) return guess;
  }
  if (wanted("conll")) {
    MEANFIELD_ASSIGN_OR_RETURN(auto guess, GuessConll(sample, options));
    if (guess.has_value()) return guess;
  }
  if (wanted("csv") || wanted("label_text")) return GuessTable(sample, options);
  return std::optional<FormatGuess>();
}

// Formats that are not read, by what their lines begin with.
std::string NameOfOther(const LineSample& sample) {
  if (sample.text.starts_with("# text = ") &&
      sample.text.find("\n1\t") == std::string_view::npos) {
    return "CoNLL-U whose columns are not split at TABs";
  }
  if (sample.MostStartWith("{")) return "JSON, an object a line";
  if (sample.MostStartWith("<")) return "XML or HTML";
  const size_t begin = sample.text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return "";
  if (sample.text[begin] == '{' || sample.text[begin] == '[') return "JSON";
  return "";
}

absl::Status NoCorpus(const LineSample& sample, const GuessOptions& options) {
  const auto first =
      std::find_if(sample.lines.begin(), sample.lines.end(),
                   [](std::string_view line) { return !IsBlank(line); });
  std::string message = "saw ";
  if (const std::string other = NameOfOther(sample); !other.empty()) {
    StrAppend(&message, other, ", which is not read; ");
  } else {
    StrAppend(&message, "no columns of one width, and no label in each line; ");
  }
  StrAppend(&message, "the first line is ", Quoted(*first), "; expected ",
            options.format.empty() ? kFormats : options.format,
            options.format.empty()
                ? " (--format, --delimiter, --text-column and --label-column "
                  "say more)"
                : " (--format)");
  return absl::InvalidArgumentError(message);
}

}  // namespace

absl::StatusOr<FormatGuess> GuessFormat(const TextFile& file,
                                        const GuessOptions& options) {
  MEANFIELD_RETURN_IF_ERROR(CheckOptions(options));
  const LineSample sample = SampleLines(file);
  if (std::all_of(sample.lines.begin(), sample.lines.end(), IsBlank)) {
    return absl::InvalidArgumentError("holds no text");
  }
  if (options.format.empty() && !NameOfOther(sample).empty()) {
    return NoCorpus(sample, options);
  }
  MEANFIELD_ASSIGN_OR_RETURN(auto guess, TryAll(sample, options));
  if (!guess.has_value()) return NoCorpus(sample, options);
  return *std::move(guess);
}

absl::StatusOr<FormatGuess> GuessFormat(const std::string& path,
                                        const GuessOptions& options) {
  const absl::StatusOr<Encoding> encoding =
      options.encoding.empty() ? GuessFileEncoding(path)
                               : ParseEncoding(options.encoding);
  // A compressed file is no text in any encoding, and says so itself.
  MEANFIELD_ASSIGN_OR_RETURN(
      const TextFile file,
      TextFile::Open(path, encoding.value_or(Encoding::kLatin1)));
  if (!encoding.ok()) return encoding.status();
  absl::StatusOr<FormatGuess> guess = GuessFormat(file, options);
  if (!guess.ok()) {
    return absl::Status(guess.status().code(),
                        StrCat(path, ": ", StdView(guess.status().message())));
  }
  guess->corpus.set_encoding(std::string(EncodingName(*encoding)));
  return guess;
}

}  // namespace meanfield::corpus

#include "coordinator/corpus/corpus_format.h"

#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "coordinator/corpus/column_reader.h"
#include "coordinator/corpus/conllu_reader.h"
#include "coordinator/corpus/csv_reader.h"
#include "coordinator/corpus/fasttext_reader.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/label_text_reader.h"

namespace meanfield::corpus {
namespace {

using ReaderOr = absl::StatusOr<std::unique_ptr<SampleReader>>;

template <typename Files>
void TakePaths(const Files& files, CorpusFormat& format) {
  format.train = files.train();
  format.dev = files.dev();
  format.test = files.test();
}

// '\0' where the field is empty.
absl::StatusOr<char> OneCharacter(std::string_view field,
                                  const std::string& value) {
  if (value.empty()) return '\0';
  const char c = value[0];
  if (value.size() == 1 && (absl::ascii_isprint(c) || c == '\t') && c != '"') {
    return c;
  }
  return absl::InvalidArgumentError(
      StrCat(field, " is ", Quoted(value),
             ", expected one ASCII character, no quote or line end"));
}

template <typename Files>
absl::StatusOr<LabelRules> LabelRulesOf(std::string_view format,
                                        const Files& files, bool multi_label) {
  LabelRules rules{.multi_label = multi_label};
  MEANFIELD_ASSIGN_OR_RETURN(
      rules.delimiter,
      OneCharacter(StrCat("corpus.", format, ".label_delimiter"),
                   files.label_delimiter()));
  return rules;
}

ReaderOr MakeColumnReader(const proto::ColumnFiles& files) {
  if (!files.has_label_column()) {
    return absl::InvalidArgumentError(
        "corpus.conll.label_column is missing: the column of the tags, "
        "counted from 0");
  }
  if (files.label_column() == files.text_column()) {
    return absl::InvalidArgumentError(
        StrCat("corpus.conll: text_column and label_column are both ",
               files.text_column()));
  }
  MEANFIELD_ASSIGN_OR_RETURN(
      const char delimiter,
      OneCharacter("corpus.conll.delimiter", files.delimiter()));
  return std::make_unique<ColumnReader>(
      ColumnReaderOptions{.text_column = files.text_column(),
                          .label_column = files.label_column(),
                          .comment_prefix = files.comment_prefix(),
                          .max_sentence_tokens = files.max_sentence_tokens(),
                          .delimiter = delimiter});
}

ReaderOr MakeConlluReader(const proto::ConlluFiles& files) {
  MEANFIELD_ASSIGN_OR_RETURN(ConlluLabel label,
                             ParseConlluLabel(files.label()));
  return std::make_unique<ConlluReader>(std::move(label));
}

ReaderOr MakeLabelTextReader(const proto::LabelTextFiles& files,
                             bool multi_label) {
  MEANFIELD_ASSIGN_OR_RETURN(const LabelRules rules,
                             LabelRulesOf("label_text", files, multi_label));
  return std::make_unique<LabelTextReader>(rules);
}

ReaderOr MakeCsvReader(const proto::CsvFiles& files, bool multi_label) {
  if (files.text_column().empty() || files.label_column().empty()) {
    return absl::InvalidArgumentError(
        "corpus.csv needs text_column and label_column: names in the header, "
        "or numbers from 0");
  }
  if (files.text_column() == files.label_column()) {
    return absl::InvalidArgumentError(
        StrCat("corpus.csv: text_column and label_column are both ",
               Quoted(files.text_column())));
  }
  MEANFIELD_ASSIGN_OR_RETURN(
      const char delimiter,
      OneCharacter("corpus.csv.delimiter", files.delimiter()));
  MEANFIELD_ASSIGN_OR_RETURN(const LabelRules rules,
                             LabelRulesOf("csv", files, multi_label));
  return std::make_unique<CsvReader>(
      CsvReaderOptions{.header = files.header(),
                       .delimiter = delimiter == '\0' ? ',' : delimiter,
                       .text_column = files.text_column(),
                       .label_column = files.label_column(),
                       .labels = rules});
}

OnBadLine PolicyOf(proto::Corpus::OnBadLine policy) {
  switch (policy) {
    case proto::Corpus::FAIL:
      return OnBadLine::kFail;
    case proto::Corpus::SKIP:
      return OnBadLine::kSkip;
    case proto::Corpus::FIX:
      return OnBadLine::kFix;
  }
  return OnBadLine::kFail;
}

// Sets paths and `tagged` on the way.
ReaderOr MakeReader(const proto::Corpus& corpus, CorpusFormat& format) {
  switch (corpus.format_case()) {
    case proto::Corpus::kConll:
      TakePaths(corpus.conll(), format);
      format.tagged = true;
      format.spans_possible = true;
      return MakeColumnReader(corpus.conll());
    case proto::Corpus::kConllu:
      TakePaths(corpus.conllu(), format);
      format.tagged = true;
      format.spans_possible =
          absl::StartsWith(corpus.conllu().label(), "misc:");
      return MakeConlluReader(corpus.conllu());
    case proto::Corpus::kFasttext:
      TakePaths(corpus.fasttext(), format);
      return std::make_unique<FastTextReader>(format.multi_label);
    case proto::Corpus::kLabelText:
      TakePaths(corpus.label_text(), format);
      return MakeLabelTextReader(corpus.label_text(), format.multi_label);
    case proto::Corpus::kCsv:
      TakePaths(corpus.csv(), format);
      return MakeCsvReader(corpus.csv(), format.multi_label);
    case proto::Corpus::kText:
    case proto::Corpus::kWmtQe:
      return absl::UnimplementedError(
          "corpora of running text and of quality estimation are not read by "
          "this version");
    case proto::Corpus::FORMAT_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError(
      "the corpus names no format: conll, conllu, fasttext, label_text or csv");
}

}  // namespace

absl::StatusOr<CorpusFormat> MakeCorpusFormat(const proto::Corpus& corpus,
                                              bool multi_label) {
  CorpusFormat format{.on_bad_line = PolicyOf(corpus.on_bad_line()),
                      .multi_label = multi_label};
  MEANFIELD_ASSIGN_OR_RETURN(format.encoding, ParseEncoding(corpus.encoding()));
  MEANFIELD_ASSIGN_OR_RETURN(format.reader, MakeReader(corpus, format));
  if (format.train.empty()) {
    return absl::InvalidArgumentError("the corpus names no train file");
  }
  return format;
}

}  // namespace meanfield::corpus

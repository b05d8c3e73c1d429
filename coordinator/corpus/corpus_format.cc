#include "coordinator/corpus/corpus_format.h"

#include <utility>

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
  return std::make_unique<ColumnReader>(
      ColumnReaderOptions{.text_column = files.text_column(),
                          .label_column = files.label_column(),
                          .comment_prefix = files.comment_prefix()});
}

ReaderOr MakeConlluReader(const proto::ConlluFiles& files) {
  MEANFIELD_ASSIGN_OR_RETURN(ConlluLabel label,
                             ParseConlluLabel(files.label()));
  return std::make_unique<ConlluReader>(std::move(label));
}

ReaderOr MakeCsvReader(const proto::CsvFiles& files) {
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
  const std::string& delimiter = files.delimiter();
  if (delimiter.size() != 1 ||
      delimiter.find_first_of("\"\r\n") != std::string::npos ||
      static_cast<unsigned char>(delimiter[0]) >= 0x80) {
    return absl::InvalidArgumentError(
        StrCat("corpus.csv.delimiter is ", Quoted(delimiter),
               ", expected one ASCII character, no quote or line end"));
  }
  return std::make_unique<CsvReader>(
      CsvReaderOptions{.header = files.header(),
                       .delimiter = delimiter[0],
                       .text_column = files.text_column(),
                       .label_column = files.label_column()});
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
      return std::make_unique<FastTextReader>();
    case proto::Corpus::kLabelText:
      TakePaths(corpus.label_text(), format);
      return std::make_unique<LabelTextReader>();
    case proto::Corpus::kCsv:
      TakePaths(corpus.csv(), format);
      return MakeCsvReader(corpus.csv());
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

absl::StatusOr<CorpusFormat> MakeCorpusFormat(const proto::Corpus& corpus) {
  CorpusFormat format;
  MEANFIELD_ASSIGN_OR_RETURN(format.encoding, ParseEncoding(corpus.encoding()));
  MEANFIELD_ASSIGN_OR_RETURN(format.reader, MakeReader(corpus, format));
  if (format.train.empty()) {
    return absl::InvalidArgumentError("the corpus names no train file");
  }
  return format;
}

}  // namespace meanfield::corpus

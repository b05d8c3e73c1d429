#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "common/base/strings.h"
#include "coordinator/job/corpus_files.h"
#include "coordinator/job/schema.h"
#include "coordinator/job/validate.h"

namespace meanfield::job {
namespace {

// More columns than any format has; a larger number is a mistake.
constexpr uint32_t kMaxColumn = 1000;

const std::vector<std::string> kEncodings = {"utf-8", "iso-8859-1",
                                             "windows-1252"};

// One ASCII character that can stand between fields.
void ValidateDelimiter(const std::string& delimiter, const std::string& path,
                       Checks& checks) {
  if (delimiter.size() == 1 &&
      (absl::ascii_isprint(delimiter[0]) || delimiter[0] == '\t') &&
      delimiter[0] != '"') {
    return;
  }
  checks.Wrong(path, StrCat("\"", LastPart(path),
                            "\" must be one ASCII character other than '\"', "
                            "for example \",\" or \"\\t\""));
}

void ValidateConll(const proto::ColumnFiles& conll, const std::string& path,
                   Checks& checks) {
  checks.Whole(Member(path, "text_column"), conll.text_column(), 0, kMaxColumn);
  if (conll.has_max_sentence_tokens()) {
    checks.Whole(Member(path, "max_sentence_tokens"),
                 conll.max_sentence_tokens(), 2, UINT32_MAX);
  }
  if (conll.has_delimiter()) {
    ValidateDelimiter(conll.delimiter(), Member(path, "delimiter"), checks);
  }
  if (!conll.has_label_column()) {
    checks.Missing(path, "label_column",
                   "\"conll\" needs \"label_column\": the number, from 0, of "
                   "the column that holds the tags");
    return;
  }
  const std::string label = Member(path, "label_column");
  checks.Whole(label, conll.label_column(), 0, kMaxColumn);
  if (conll.label_column() == conll.text_column()) {
    checks.Wrong(label, StrCat("\"label_column\" is the text_column, ",
                               conll.text_column()));
  }
}

void ValidateConllu(const proto::ConlluFiles& conllu, const std::string& path,
                    Checks& checks) {
  for (std::string_view prefix : {"feats:", "misc:"}) {
    if (conllu.label().starts_with(prefix) &&
        conllu.label().size() > prefix.size()) {
      return;
    }
  }
  checks.OneOf(Member(path, "label"), conllu.label(),
               {"upos", "xpos", "deprel", "feats:NAME", "misc:NAME"});
}

void ValidateCsvColumn(const proto::CsvFiles& csv, const std::string& column,
                       bool given, const std::string& path,
                       std::string_view name, Checks& checks) {
  if (!given) {
    checks.Missing(
        path, name,
        StrCat("\"csv\" needs \"", name, "\": a column's ",
               csv.header() ? "name or number" : "number", " from 0"));
    return;
  }
  uint32_t number = 0;
  if (column.empty()) {
    checks.Wrong(Member(path, name), StrCat("\"", name, "\" is empty"));
  } else if (!csv.header() && !absl::SimpleAtoi(column, &number)) {
    checks.Wrong(Member(path, name),
                 StrCat("\"", name, "\" is \"", column,
                        "\", but without header: true columns have "
                        "numbers from 0"));
  }
}

void ValidateCsv(const proto::CsvFiles& csv, const std::string& path,
                 Checks& checks) {
  ValidateCsvColumn(csv, csv.text_column(), csv.has_text_column(), path,
                    "text_column", checks);
  ValidateCsvColumn(csv, csv.label_column(), csv.has_label_column(), path,
                    "label_column", checks);
  if (csv.has_label_column() && csv.text_column() == csv.label_column()) {
    checks.Wrong(Member(path, "label_column"),
                 StrCat("\"label_column\" is the text_column, \"",
                        csv.text_column(), "\""));
  }
  ValidateDelimiter(csv.delimiter(), Member(path, "delimiter"), checks);
  if (csv.has_label_delimiter()) {
    ValidateDelimiter(csv.label_delimiter(), Member(path, "label_delimiter"),
                      checks);
  }
}

void ValidateLabelText(const proto::LabelTextFiles& label_text,
                       const std::string& path, Checks& checks) {
  if (!label_text.has_label_delimiter()) return;
  const std::string at = Member(path, "label_delimiter");
  ValidateDelimiter(label_text.label_delimiter(), at, checks);
  if (label_text.label_delimiter() == "\t") {
    checks.Wrong(at,
                 "\"label_delimiter\" is a TAB, which stands between the "
                 "labels and the text");
  }
}

// A share of the training split stands in for a file, never beside it.
void ValidateFraction(const std::string& file, double fraction,
                      const std::string& path, std::string_view split,
                      Checks& checks) {
  const std::string at = Member(path, StrCat(split, "_fraction"));
  checks.Number(at, fraction, Interval::kFraction);
  if (!file.empty()) {
    checks.WrongField(
        at, StrCat("\"", split, "_fraction\" beside the ", split, " file \"",
                   file, "\"; leave one of them out"));
  }
}

void ValidateFractions(const proto::Corpus& corpus, const std::string& path,
                       Checks& checks) {
  const CorpusFiles files = FilesOf(corpus);
  if (corpus.has_dev_fraction()) {
    ValidateFraction(files.dev, corpus.dev_fraction(), path, "dev", checks);
  }
  if (corpus.has_test_fraction()) {
    ValidateFraction(files.test, corpus.test_fraction(), path, "test", checks);
  }
  if (corpus.has_dev_fraction() && corpus.has_test_fraction() &&
      corpus.dev_fraction() < 1 && corpus.test_fraction() < 1 &&
      corpus.dev_fraction() + corpus.test_fraction() >= 1) {
    checks.Wrong(Member(path, "test_fraction"),
                 "\"dev_fraction\" and \"test_fraction\" leave nothing to "
                 "train on: their sum must be below 1");
  }
}

}  // namespace

std::string FormatName(const proto::Corpus& corpus) {
  const google::protobuf::FieldDescriptor* field =
      corpus.GetReflection()->GetOneofFieldDescriptor(
          corpus, proto::Corpus::descriptor()->FindOneofByName("format"));
  return field == nullptr ? "" : field->name();
}

void ValidateCorpus(const proto::Corpus& corpus, const std::string& path,
                    Checks& checks) {
  const std::string format = FormatName(corpus);
  if (format.empty()) {
    checks.MissingAll(
        path,
        MemberNames(*proto::Corpus::descriptor()->FindOneofByName("format")),
        "a corpus needs a format: conll, conllu, fasttext, "
        "label_text or csv");
  } else if (FilesOf(corpus).train.empty()) {
    checks.Missing(Member(path, format), "train",
                   StrCat("\"", format, "\" needs a \"train\" file"));
  }
  if (corpus.has_conll()) {
    ValidateConll(corpus.conll(), Member(path, "conll"), checks);
  } else if (corpus.has_conllu()) {
    ValidateConllu(corpus.conllu(), Member(path, "conllu"), checks);
  } else if (corpus.has_csv()) {
    ValidateCsv(corpus.csv(), Member(path, "csv"), checks);
  } else if (corpus.has_label_text()) {
    ValidateLabelText(corpus.label_text(), Member(path, "label_text"), checks);
  }
  checks.OneOf(Member(path, "encoding"),
               absl::AsciiStrToLower(corpus.encoding()), kEncodings);
  ValidateFractions(corpus, path, checks);
}

}  // namespace meanfield::job

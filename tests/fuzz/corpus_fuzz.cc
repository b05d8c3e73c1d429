// Any bytes as a corpus file: the first byte chooses reader and encoding. What
// a reader hands on has tokens that are not empty, labels that are not, or a
// tag a token, and lines that the file has.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "coordinator/corpus/column_reader.h"
#include "coordinator/corpus/conllu_reader.h"
#include "coordinator/corpus/csv_reader.h"
#include "coordinator/corpus/fasttext_reader.h"
#include "coordinator/corpus/label_text_reader.h"
#include "coordinator/corpus/span_tags.h"
#include "coordinator/corpus/text_file.h"

namespace meanfield::corpus {
namespace {

std::unique_ptr<SampleReader> MakeReader(int choice) {
  switch (choice % 6) {
    case 0:
      return std::make_unique<FastTextReader>(/*multi_label=*/choice % 4 == 0);
    case 1:
      return std::make_unique<LabelTextReader>();
    case 2:
      return std::make_unique<ColumnReader>(
          ColumnReaderOptions{.comment_prefix = "# "});
    case 3:
      return std::make_unique<ConlluReader>(
          ConlluLabel{.column = 5, .key = "Number"});
    case 4:
      return std::make_unique<CsvReader>(CsvReaderOptions{
          .header = true, .text_column = "text", .label_column = "1"});
    default:
      return std::make_unique<CsvReader>(CsvReaderOptions{
          .delimiter = '\t', .text_column = "1", .label_column = "0"});
  }
}

class CheckingSink : public SampleSink {
 public:
  explicit CheckingSink(std::string_view text)
      : lines_(1 + std::count(text.begin(), text.end(), '\n') +
               std::count(text.begin(), text.end(), '\r')) {}

  void Add(const SampleView& sample) override {
    CheckLine(sample.line);
    for (const std::string_view token : sample.tokens) {
      MEANFIELD_CHECK(!token.empty(), "empty token");
    }
    if (sample.tags.empty()) {
      for (const std::string_view label : sample.labels) {
        MEANFIELD_CHECK(!label.empty(), "empty label");
      }
      return;
    }
    MEANFIELD_CHECK(sample.tags.size() == sample.tokens.size(), "tags");
    const std::vector<LabeledSpan> spans = GoldSpans(sample.tags);
    MEANFIELD_CHECK(
        ToBioes(spans, sample.tags.size()).size() == sample.tags.size(),
        "spans");
  }
  void Fault(uint64_t line, std::string what) override {
    CheckLine(line);
    MEANFIELD_CHECK(!what.empty(), "a fault without words");
  }
  void Fixed(uint64_t line, std::string what) override {
    Fault(line, std::move(what));
  }
  void LeftOut(uint64_t line) override { CheckLine(line); }

 private:
  void CheckLine(uint64_t line) const {
    MEANFIELD_CHECK(line >= 1 && line <= static_cast<uint64_t>(lines_),
                    "no such line");
  }
  const int64_t lines_;
};

void Read(uint8_t choice, std::string bytes) {
  const auto encoding = static_cast<Encoding>(choice / 6 % 3);
  const absl::StatusOr<TextFile> file =
      TextFile::FromBytes(std::move(bytes), "fuzz", encoding);
  if (!file.ok()) return;
  CheckingSink sink(file->text());
  for (const BadLines policy : {BadLines::kLeaveOut, BadLines::kMend}) {
    MakeReader(choice)->Read(*file, policy, sink).IgnoreError();
  }
}

}  // namespace
}  // namespace meanfield::corpus

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  meanfield::corpus::Read(
      data[0], std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
  return 0;
}

// The malformed inputs of corpora/nasty against what its expected.json says.
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "coordinator/corpus/column_reader.h"
#include "coordinator/corpus/conllu_reader.h"
#include "coordinator/corpus/csv_reader.h"
#include "coordinator/corpus/fasttext_reader.h"
#include "coordinator/corpus/span_tags.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/coordinator/corpus/recording_sink.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::corpus {
namespace {

using Json = nlohmann::json;

// Cases of formats that are not read yet.
const std::map<std::string, std::string> kOtherFormats = {
    {"Q00", "quality estimation"}, {"Q01", "quality estimation"},
    {"Q03", "quality estimation"}, {"Q04", "quality estimation"},
    {"Q06", "quality estimation"}, {"Q07", "quality estimation"},
    {"Q09", "quality estimation"}, {"E01", "word vectors"},
};

class NastyInputs : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::SharedFolder().empty()) {
      GTEST_SKIP() << "the corpora beside the project are not here";
    }
    folder_ = testing::SharedFolder() + "/corpora/nasty/";
    cases_ = Json::parse(testing::ReadFile(folder_ + "expected.json"));
  }

  std::unique_ptr<SampleReader> ReaderOf(const std::string& id,
                                         const std::string& file) {
    if (id == "C04") {
      return std::make_unique<CsvReader>(CsvReaderOptions{
          .header = true, .text_column = "text", .label_column = "category"});
    }
    if (id[0] == 'C') return std::make_unique<FastTextReader>();
    if (absl::EndsWith(file, ".conllu")) {
      return std::make_unique<ConlluReader>(ConlluLabel{});
    }
    // N18 asks for columns {1: text, 2: pos, 3: ner}.
    return std::make_unique<ColumnReader>(
        id == "N18" ? ColumnReaderOptions{.text_column = 1, .label_column = 3}
                    : ColumnReaderOptions{});
  }

  // The first file of a case. Bytes that are not UTF-8 are faults, too.
  RecordingSink Read(const std::string& id, const std::string& file) {
    RecordingSink sink;
    const auto text = TextFile::Open(folder_ + file, Encoding::kUtf8);
    EXPECT_TRUE(text.ok()) << text.status();
    for (const FaultList::Fault& fault : text->faults().kept()) {
      sink.Fault(fault.line, fault.what);
    }
    ReaderOf(id, file)->Read(*text, sink);
    return sink;
  }

  std::vector<uint64_t> ExpectedFaultLines(const std::string& id,
                                           const Json& expected) {
    if (expected.contains("error_lines")) return expected["error_lines"];
    if (expected.contains("bad_tag_lines")) return expected["bad_tag_lines"];
    if (id == "N23") return {1, 2, 4, 5, 6};  // of error or replacement: error
    if (id == "C03") return {5};              // strict: a line without a label
    return {};
  }

  std::string folder_;
  Json cases_;
};

void ExpectSpans(const Json& expected, const RecordingSink& sink) {
  const std::vector<std::string_view> tags(sink.samples.at(0).tags.begin(),
                                           sink.samples.at(0).tags.end());
  const std::vector<LabeledSpan> spans = GoldSpans(tags);
  Json seen = Json::array();
  for (const LabeledSpan& span : spans) {
    seen.push_back({span.begin, span.end, span.label});
  }
  EXPECT_EQ(seen, expected["spans"]);
  if (expected.contains("iob2")) {
    EXPECT_EQ(Json(ToBio(spans, tags.size())), expected["iob2"]);
    EXPECT_EQ(Json(ToBioes(spans, tags.size())), expected["bioes"]);
  }
}

void ExpectTexts(const Json& expected, const RecordingSink& sink) {
  if (expected.contains("sentences")) {
    EXPECT_EQ(sink.samples.size(), expected["sentences"]);
  }
  for (size_t i = 0; i < expected.value("tokens", Json::array()).size(); ++i) {
    EXPECT_EQ(sink.samples.at(i).tokens.size(), expected["tokens"][i]);
  }
  for (size_t i = 0; i < expected.value("tags", Json::array()).size(); ++i) {
    EXPECT_EQ(Json(sink.samples.at(i).tags), expected["tags"][i]);
  }
}

TEST_F(NastyInputs, ColumnFiles_AreReadAsExpected) {
  int cases = 0;
  for (const auto& [id, expected] : cases_.items()) {
    if (id[0] != 'N') continue;
    for (const std::string file : expected["files"]) {
      SCOPED_TRACE(file);
      const RecordingSink sink = Read(id, file);
      const auto fault_lines = ExpectedFaultLines(id, expected);
      EXPECT_EQ(sink.fault_lines, fault_lines);
      if (fault_lines.empty()) ExpectTexts(expected, sink);
      if (expected.contains("spans")) ExpectSpans(expected, sink);
      EXPECT_EQ(sink.documents, expected.value("documents", 0));
      ++cases;
    }
  }
  EXPECT_GE(cases, 19);
}

TEST_F(NastyInputs, ClassificationFiles_AreReadAsExpected) {
  for (const std::string id : {"C01", "C03", "C04"}) {
    SCOPED_TRACE(id);
    const Json& expected = cases_[id];
    const RecordingSink sink = Read(id, expected["files"][0]);
    EXPECT_EQ(sink.fault_lines, ExpectedFaultLines(id, expected));
    size_t empty = 0;
    Json labels = Json::array();
    for (const Sample& sample : sink.samples) {
      empty += sample.tokens.empty() ? 1 : 0;
      labels.push_back(sample.label);
    }
    if (id == "C01") {
      EXPECT_EQ(labels, Json({"1", "2", "1"}));
    } else if (id == "C03") {
      EXPECT_EQ(empty, expected["skipped_empty"]);
      EXPECT_EQ(sink.samples.size() - empty, expected["documents"]);
    } else {
      EXPECT_EQ(labels, expected["labels"]);
      EXPECT_THAT(sink.samples.at(1).tokens,
                  ::testing::ElementsAre("two", "lines"));
    }
  }
}

TEST_F(NastyInputs, RawText_HasTheExpectedLines) {
  const auto count = [&](const std::string& file) {
    const auto text = TextFile::Open(folder_ + file, Encoding::kUtf8);
    EXPECT_TRUE(text.ok()) << text.status();
    int lines = 0;
    for (LineCursor cursor(*text); cursor.Next();) ++lines;
    return lines;
  };
  EXPECT_EQ(count("l01_cr_only.txt"), 3);
  EXPECT_EQ(count("l05_one_long_line.txt"), cases_["L05"]["lines"][0]);
  EXPECT_EQ(count("l05_nul_and_controls.txt"), cases_["L05"]["lines"][1]);
}

TEST_F(NastyInputs, Gzip_IsToldByItsBytesNotItsName) {
  EXPECT_TRUE(
      TextFile::Open(folder_ + "l04_not_gzip.txt.gz", Encoding::kUtf8).ok());
  EXPECT_FALSE(
      TextFile::Open(folder_ + "l04_gzip_named_txt.txt", Encoding::kUtf8).ok());
}

TEST_F(NastyInputs, EveryCase_IsReadOrNamedAsAnotherFormat) {
  for (const auto& [id, expected] : cases_.items()) {
    const bool read = id[0] == 'N' || id[0] == 'C' || id[0] == 'L';
    EXPECT_NE(read, kOtherFormats.contains(id)) << id;
  }
}

}  // namespace
}  // namespace meanfield::corpus

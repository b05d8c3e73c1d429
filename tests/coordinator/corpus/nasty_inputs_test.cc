// The malformed inputs of corpora/nasty against what its expected.json says.
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "common/blob/blob_store.h"
#include "coordinator/corpus/corpus_format.h"
#include "coordinator/corpus/span_tags.h"
#include "coordinator/corpus/word_vectors.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/coordinator/corpus/recording_sink.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::corpus {
namespace {

using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using Json = nlohmann::json;

// The corpus of a job that names the file.
std::string CorpusOf(const std::string& id, const std::string& file) {
  if (id == "C04") {
    return "csv { header: true text_column: 'text' label_column: 'category' "
           "train: 'x' }";
  }
  if (id[0] == 'C') return "fasttext { train: 'x' }";
  if (absl::EndsWith(file, ".conllu")) return "conllu { train: 'x' }";
  // N18 asks for columns {1: text, 2: pos, 3: ner}.
  return id == "N18" ? "conll { text_column: 1 label_column: 3 train: 'x' }"
                     : "conll { label_column: 1 train: 'x' }";
}

CorpusFormat FormatOf(const std::string& id, const std::string& file) {
  proto::Corpus corpus;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(CorpusOf(id, file),
                                                            &corpus));
  absl::StatusOr<CorpusFormat> format = MakeCorpusFormat(corpus);
  EXPECT_TRUE(format.ok()) << format.status();
  return *std::move(format);
}

// What on_bad_line FAIL complains of (`faults`), or, with kMend, FIX makes of a
// file.
RecordingSink Read(const TextFile& file, const SampleReader& reader,
                   BadLines policy) {
  RecordingSink sink;
  if (policy == BadLines::kLeaveOut) {
    for (const FaultList::Fault& fault : file.faults().kept()) {
      sink.Fault(fault.line, fault.what);
    }
  }
  sink.status = reader.Read(file, policy, sink);
  EXPECT_TRUE(sink.status.ok()) << sink.status;
  return sink;
}

void ExpectSpans(const Json& expected, const RecordingSink& sink) {
  ASSERT_FALSE(sink.samples.empty());
  const std::vector<std::string_view> tags(sink.samples[0].tags.begin(),
                                           sink.samples[0].tags.end());
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

// Every key of a case that speaks of texts.
void ExpectTexts(const Json& expected, const RecordingSink& sink) {
  size_t empty = 0;
  Json tokens = Json::array();
  Json tags = Json::array();
  Json labels = Json::array();
  Json label_lists = Json::array();
  for (const Sample& sample : sink.samples) {
    tokens.push_back(sample.tokens.size());
    tags.push_back(sample.tags);
    label_lists.push_back(sample.labels);
    labels.push_back(sample.labels.empty() ? "" : sample.labels[0]);
    empty += sample.tokens.empty() ? 1 : 0;
  }
  if (expected.contains("sentences")) {
    EXPECT_EQ(sink.samples.size(), expected["sentences"]);
  }
  if (expected.contains("records")) {
    EXPECT_EQ(sink.samples.size(), expected["records"]);
  }
  if (expected.contains("tokens")) {
    EXPECT_EQ(tokens, expected["tokens"]);
  }
  if (expected.contains("tags")) {
    EXPECT_EQ(tags, expected["tags"]);
  }
  if (expected.contains("labels")) {
    const bool lists = expected["labels"][0].is_array();
    EXPECT_EQ(lists ? label_lists : labels, expected["labels"]);
  }
  // Documents are texts, or what -DOCSTART- starts.
  const size_t documents = sink.documents > 0
                               ? static_cast<size_t>(sink.documents)
                               : sink.samples.size() - empty;
  if (expected.contains("documents")) {
    EXPECT_EQ(documents, expected["documents"]);
  }
  if (expected.contains("skipped_empty")) {
    EXPECT_EQ(empty, expected["skipped_empty"]);
  }
  if (expected.contains("spans")) ExpectSpans(expected, sink);
}

void ExpectCorpus(const std::string& id, const Json& expected,
                  const std::string& path, const std::string& name) {
  const auto file = TextFile::Open(path, Encoding::kUtf8);
  ASSERT_TRUE(file.ok()) << file.status();
  const CorpusFormat format = FormatOf(id, name);
  const RecordingSink strict = Read(*file, *format.reader, BadLines::kLeaveOut);
  const RecordingSink mended = Read(*file, *format.reader, BadLines::kMend);
  const std::string result = expected["result"];
  for (const char* key : {"error_lines", "bad_tag_lines"}) {
    if (!expected.contains(key)) continue;
    EXPECT_EQ(Json(strict.fault_lines), expected[key]);
    if (result == "parse") ExpectTexts(expected, mended);
    return;
  }
  if (result == "error_or_replace") {
    EXPECT_FALSE(strict.fault_lines.empty());
    EXPECT_THAT(strict.samples, IsEmpty());
    ExpectTexts(expected, mended);
  } else if (result == "parse_lenient") {
    EXPECT_EQ(strict.fault_lines.size(), expected["unlabelled"]);
    ExpectTexts(expected, strict);
  } else {
    EXPECT_THAT(strict.fault_lines, IsEmpty());
    ExpectTexts(expected, strict);
    EXPECT_THAT(mended.fixed, IsEmpty());
    ExpectTexts(expected, mended);
  }
}

void ExpectRawText(const Json& expected, size_t number,
                   const std::string& path) {
  const auto file = TextFile::Open(path, Encoding::kUtf8);
  const std::string result = expected["result"];
  if (result == "detect_or_error") {
    // By the bytes, whatever the name.
    const bool compressed =
        absl::StartsWith(testing::ReadFile(path), "\x1F\x8B");
    EXPECT_EQ(file.ok(), !compressed) << file.status();
    return;
  }
  ASSERT_TRUE(file.ok()) << file.status();
  size_t lines = 0;
  for (LineCursor cursor(*file); cursor.Next();) ++lines;
  EXPECT_EQ(lines,
            result == "warn_or_3_lines" ? Json(3) : expected["lines"][number]);
}

void ExpectWordVectors(const Json& expected, const std::string& path) {
  const testing::TemporaryFolder folder;
  absl::StatusOr<BlobStore> blobs = BlobStore::Open(folder.File("blobs"));
  ASSERT_TRUE(blobs.ok()) << blobs.status();
  const absl::StatusOr<WordVectors> vectors =
      ReadWordVectors(path, "weight", *blobs);
  ASSERT_TRUE(vectors.ok()) << vectors.status();
  EXPECT_EQ(vectors->words.size(), expected["vectors"]);
  EXPECT_EQ(vectors->tensor.spec.shape[1], expected["dim"]);
  EXPECT_EQ(Json(vectors->words.items()), expected["words"]);
}

TEST(NastyInputs, EveryCase_IsReadAsExpected) {
  if (testing::SharedFolder().empty()) {
    GTEST_SKIP() << "the corpora beside the project are not here";
  }
  const std::string folder = testing::SharedFolder() + "/corpora/nasty/";
  const Json cases = Json::parse(testing::ReadFile(folder + "expected.json"));
  const std::set<std::string> known = {
      "parse", "parse_in_auto_mode", "parse_with_columns_1_2_3",
      "error", "error_or_replace",   "parse_lenient",
      "empty", "warn_or_3_lines",    "detect_or_error"};
  size_t read = 0;
  for (const auto& [id, expected] : cases.items()) {
    if (id[0] == 'Q') continue;  // quality estimation is not read yet
    ASSERT_TRUE(known.contains(expected["result"])) << expected["result"];
    for (size_t i = 0; i < expected["files"].size(); ++i) {
      const std::string name = expected["files"][i];
      SCOPED_TRACE(name);
      if (id[0] == 'L') {
        ExpectRawText(expected, i, folder + name);
      } else if (id[0] == 'E') {
        ExpectWordVectors(expected, folder + name);
      } else {
        ExpectCorpus(id, expected, folder + name, name);
      }
      ++read;
    }
  }
  EXPECT_GE(read, 29u);
}

}  // namespace
}  // namespace meanfield::corpus

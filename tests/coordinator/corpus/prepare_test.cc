// PrepareTask on small corpora: dictionaries, shards, held-out parts, warnings.
#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/model/encoded_shard.h"
#include "common/tensor/safetensors.h"
#include "coordinator/corpus/corpus.h"
#include "coordinator/corpus/ngrams.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::corpus {
namespace {

using ::meanfield::testing::StatusIs;
using ::meanfield::testing::TemporaryFolder;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kClassifier[] =
    "text_classifier { embeddings { one_hot { embedding_size: 4 "
    "min_frequency: 1 } } bag {} }";
constexpr char kTagger[] =
    "sequence_tagger { embeddings { one_hot { embedding_size: 4 "
    "min_frequency: 2 } } rnn { hidden_size: 3 } }";

class PrepareTest : public ::testing::Test {
 protected:
  PrepareTest() : blobs_(*BlobStore::Open(folder_.File("blobs"))) {}

  std::string Quote(const std::string& path) { return "\"" + path + "\""; }

  absl::StatusOr<PreparedTask> Prepare(const std::string& corpus,
                                       const std::string& model,
                                       PrepareOptions options = {}) {
    proto::Task task;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
        "corpus { " + corpus + " } model { " + model + " }", &task));
    return PrepareTask(task, options, blobs_);
  }

  SafetensorsFile Open(const EncodedShardInfo& shard) {
    return *SafetensorsFile::Open(*blobs_.Path(shard.data));
  }

  // `count` texts of label x or y; text i holds the word w<i>.
  std::string Texts(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      text += std::string(i % 3 == 0 ? "x" : "y") + "\tthe w" +
              std::to_string(i) + "\n";
    }
    return text;
  }

  const TemporaryFolder folder_;
  BlobStore blobs_;
};

TEST_F(PrepareTest, Classifier_FillsModelAndOrdersByFrequencyThenBytes) {
  const std::string train =
      folder_.Write("train", "b\tzoo and and\na\tbee zoo\na\tand ant\n");
  ASSERT_OK_AND_ASSIGN(
      const PreparedTask task,
      Prepare("label_text { train: " + Quote(train) + " }", kClassifier));

  EXPECT_THAT(task.dictionaries.embeddings[0].items.items(),
              ElementsAre("<unk>", "and", "zoo", "ant", "bee"));
  EXPECT_THAT(task.dictionaries.labels.items(), ElementsAre("<unk>", "a", "b"));
  const auto& model = std::get<TextClassifierConfig>(task.model.model);
  EXPECT_EQ(std::get<OneHotEmbeddings>(model.embeddings[0]).num_embeddings, 5);
  EXPECT_EQ(model.num_labels, 3);
  EXPECT_THAT(task.warnings, ElementsAre(HasSubstr("no dev data")));
}

TEST_F(PrepareTest, Shards_CoverEachSampleOnceAndShareOneVocabulary) {
  const std::string train = folder_.Write("train", Texts(10));
  const std::string corpus = "label_text { train: " + Quote(train) + " }";
  ASSERT_OK_AND_ASSIGN(const PreparedTask one,
                       Prepare(corpus, kClassifier, {.seed = 1, .shards = 1}));
  ASSERT_OK_AND_ASSIGN(const PreparedTask three,
                       Prepare(corpus, kClassifier, {.seed = 1, .shards = 3}));

  EXPECT_TRUE(one.dictionaries == three.dictionaries);
  std::vector<int32_t> second_words;
  for (const EncodedShardInfo& shard : three.train) {
    const SafetensorsFile file = Open(shard);
    ASSERT_OK_AND_ASSIGN(const EncodedShard view, ViewEncodedShard(file));
    EXPECT_EQ(static_cast<uint64_t>(view.size()), shard.examples);
    EXPECT_EQ(view.ids.size(), shard.tokens);
    for (int64_t i = 0; i < view.size(); ++i) {
      second_words.push_back(
          view.ids[static_cast<size_t>(view.offsets[i] + 1)]);
    }
  }
  std::sort(second_words.begin(), second_words.end());
  EXPECT_THAT(second_words, ElementsAre(2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
}

TEST_F(PrepareTest, SameInput_GivesTheSameBlobs) {
  const std::string train = folder_.Write("train", Texts(20));
  const std::string corpus =
      "label_text { train: " + Quote(train) + " } dev_fraction: 0.2";
  ASSERT_OK_AND_ASSIGN(const PreparedTask a, Prepare(corpus, kClassifier));
  ASSERT_OK_AND_ASSIGN(const PreparedTask b, Prepare(corpus, kClassifier));
  EXPECT_EQ(a.manifest_json, b.manifest_json);
  EXPECT_EQ(a.train[0].data, b.train[0].data);
}

TEST_F(PrepareTest, Manifest_ProvesExactCover) {
  const std::string train = folder_.Write("train", Texts(50));
  ASSERT_OK_AND_ASSIGN(
      const PreparedTask task,
      Prepare("label_text { train: " + Quote(train) +
                  " } dev_fraction: 0.1 test_fraction: 0.1",
              kClassifier,
              {.shards = 4, .evaluation_shards = 2, .eval_batch_size = 2}));

  const auto manifest = nlohmann::json::parse(task.manifest_json);
  const auto number = [](const nlohmann::json& hex) {
    return std::stoull(hex.get<std::string>(), nullptr, 16);
  };
  uint64_t sum = 0;
  uint64_t samples = 0;
  for (const auto& split : manifest["splits"]) {
    for (const auto& shard : split["shards"]) {
      sum += number(shard["index_sum"]);
      samples += shard["samples"].get<uint64_t>();
    }
  }
  EXPECT_EQ(sum, number(manifest["files"][train]["index_sum"]));
  EXPECT_EQ(samples, 50u);
  EXPECT_THAT(manifest["splits"]["dev"]["shards"], SizeIs(2));
}

TEST_F(PrepareTest, HeldOutTexts_AddNothingToTheVocabulary) {
  const std::string train = folder_.Write("train", Texts(20));
  ASSERT_OK_AND_ASSIGN(
      const PreparedTask task,
      Prepare("label_text { train: " + Quote(train) + " } dev_fraction: 0.25",
              kClassifier));
  EXPECT_EQ(task.dictionaries.embeddings[0].items.size(), 2 + 15);
  EXPECT_EQ(task.dev_split->size(), 5u);
  EXPECT_EQ(task.train[0].examples, 15u);
}

TEST_F(PrepareTest, SpanTags_AreConvertedToBioes) {
  const std::string train = folder_.Write(
      "train", "EU I-ORG\nCouncil B-ORG\nof I-ORG\n\nAnna I-PER\nof O\n");
  ASSERT_OK_AND_ASSIGN(
      const PreparedTask task,
      Prepare("conll { train: " + Quote(train) + " label_column: 1 }",
              kTagger));

  EXPECT_THAT(task.dictionaries.labels.items(),
              ElementsAre("O", "S-ORG", "B-ORG", "E-ORG", "I-ORG", "S-PER",
                          "B-PER", "E-PER", "I-PER"));
  EXPECT_THAT(task.dictionaries.embeddings[0].items.items(),
              ElementsAre("<unk>", "of"));
  const SafetensorsFile file = Open(task.train[0]);
  ASSERT_OK_AND_ASSIGN(const EncodedShard view, ViewEncodedShard(file));
  const size_t first = view.offsets[1] == 3 ? 0 : 2;  // the long sentence
  EXPECT_THAT(view.tags.subspan(first, 3), ElementsAre(1, 2, 3));
  const size_t second = first == 0 ? 3 : 0;
  EXPECT_THAT(view.tags.subspan(second, 2), ElementsAre(5, 0));
}

TEST_F(PrepareTest, TagWithoutPrefixInASpanColumn_NamesTheSentence) {
  const std::string train =
      folder_.Write("train", "a B-X\n\nb O\nc PER\nd I-X\n");
  EXPECT_THAT(
      Prepare("conll { train: " + Quote(train) + " label_column: 1 }", kTagger),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("train:3: saw tag \"PER\"")));
}

TEST_F(PrepareTest, UposTags_AreNeverSpans) {
  const std::string train = folder_.Write("train",
                                          "1\ta\ta\tI-X\t_\t_\t0\troot\t_\t_\n"
                                          "2\tb\tb\tV\t_\t_\t0\troot\t_\t_\n"
                                          "3\tc\tc\tV\t_\t_\t0\troot\t_\t_\n");
  ASSERT_OK_AND_ASSIGN(
      const PreparedTask task,
      Prepare("conllu { train: " + Quote(train) + " }", kTagger));
  EXPECT_EQ(task.dictionaries.label_kind, LabelKind::kToken);
  EXPECT_THAT(task.dictionaries.labels.items(),
              ElementsAre("<unk>", "V", "I-X"));
}

TEST_F(PrepareTest, LabelOnlyInDev_IsWarnedOfAndEncodedAsUnknown) {
  const std::string train = folder_.Write("train", Texts(4));
  const std::string dev = folder_.Write("dev", "x\tthe\nz\tthe\nz\tw0\n");
  ASSERT_OK_AND_ASSIGN(const PreparedTask task,
                       Prepare("label_text { train: " + Quote(train) +
                                   " dev: " + Quote(dev) + " }",
                               kClassifier));

  EXPECT_THAT(task.warnings,
              ElementsAre(HasSubstr("dev:2: label \"z\" (2 here)")));
  const SafetensorsFile file = Open(task.dev[0]);
  ASSERT_OK_AND_ASSIGN(const EncodedShard view, ViewEncodedShard(file));
  EXPECT_THAT(view.labels, ElementsAre(1, 0, 0));
}

TEST_F(PrepareTest, TextsWithoutToken_AreSkippedWithAWarning) {
  const std::string train = folder_.Write("train", "x\ta\ny\t \nx\t\ny\tb\n");
  ASSERT_OK_AND_ASSIGN(
      const PreparedTask task,
      Prepare("label_text { train: " + Quote(train) + " }", kClassifier));
  EXPECT_EQ(task.train[0].examples, 2u);
  EXPECT_THAT(task.warnings,
              Contains(HasSubstr("train:2: 2 text(s) without a token")));
}

TEST_F(PrepareTest, OneLabelOnly_IsWarnedOf) {
  const std::string train = folder_.Write("train", "x\ta\nx\tb\n");
  ASSERT_OK_AND_ASSIGN(
      const PreparedTask task,
      Prepare("label_text { train: " + Quote(train) + " }", kClassifier));
  EXPECT_THAT(task.warnings, Contains(HasSubstr("same label, \"x\"")));
}

TEST_F(PrepareTest, FewerTextsThanShards_SaysHowManyFit) {
  const std::string train = folder_.Write("train", Texts(3));
  EXPECT_THAT(Prepare("label_text { train: " + Quote(train) + " }", kClassifier,
                      {.shards = 4}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("set shards to 3 or less")));
}

TEST_F(PrepareTest, FilesWithoutText_AreErrors) {
  const std::string train = folder_.Write("train", Texts(3));
  const std::string empty = folder_.Write("empty", "\n\n");
  EXPECT_THAT(
      Prepare("label_text { train: " + Quote(empty) + " }", kClassifier),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("holds no text to train on")));
  EXPECT_THAT(
      Prepare("label_text { train: " + Quote(train) + " dev: " + Quote(empty) +
                  " }",
              kClassifier),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("the dev file")));
  EXPECT_THAT(
      Prepare("label_text { train: " + Quote(train) + " } dev_fraction: 0.01",
              kClassifier),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("of 3 training texts is none")));
}

TEST_F(PrepareTest, BadLines_AreListedWithFileAndLine) {
  const std::string train = folder_.Write("train", "x\ta\nno tab\ny\tb\nz\n");
  EXPECT_THAT(
      Prepare("label_text { train: " + Quote(train) + " }", kClassifier),
      StatusIs(absl::StatusCode::kInvalidArgument,
               ::testing::AllOf(HasSubstr("train:2: saw no TAB"),
                                HasSubstr("train:4: saw no TAB"))));
}

TEST_F(PrepareTest, OnBadLineSkip_CountsAndNamesWhatIsLeftOut) {
  const std::string train =
      folder_.Write("train", "x\ta\nno tab\ny\tb\nz\n\xFF\tc\n");
  ASSERT_OK_AND_ASSIGN(
      const PreparedTask task,
      Prepare("label_text { train: " + Quote(train) + " } on_bad_line: SKIP",
              kClassifier));

  EXPECT_EQ(task.train[0].examples, 2u);
  EXPECT_THAT(task.warnings,
              Contains(::testing::AllOf(
                  HasSubstr("3 texts left out because of 3 bad lines"),
                  HasSubstr("train:2: saw no TAB"), HasSubstr("train:5:"))));
  const auto manifest = nlohmann::json::parse(task.manifest_json);
  EXPECT_EQ(manifest["files"][train]["bad_lines"]["left_out"], 3);
  EXPECT_EQ(manifest["files"][train]["bad_lines"]["texts_left_out"], 3);
}

TEST_F(PrepareTest, OnBadLineFix_CountsWhatIsMended) {
  const std::string train =
      folder_.Write("train", "a\t\tO\nb\tB-X\nc\tO\n\nd\n");
  ASSERT_OK_AND_ASSIGN(const PreparedTask task,
                       Prepare("conll { train: " + Quote(train) +
                                   " label_column: 1 } on_bad_line: FIX",
                               kTagger));

  EXPECT_EQ(task.train[0].tokens, 3u);
  EXPECT_THAT(task.warnings, Contains(HasSubstr("1 bad line mended")));
  EXPECT_THAT(task.warnings, Contains(HasSubstr("1 text left out")));
  const auto manifest = nlohmann::json::parse(task.manifest_json);
  EXPECT_EQ(manifest["files"][train]["bad_lines"]["fixed"], 1);
}

TEST_F(PrepareTest, OddTagsInASpanColumn_AreLeftOutWithTheirSentence) {
  const std::string train =
      folder_.Write("train", "a B-X\n\nb O\nc PER\nd I-X\n\ne O\n");
  ASSERT_OK_AND_ASSIGN(const PreparedTask task,
                       Prepare("conll { train: " + Quote(train) +
                                   " label_column: 1 } on_bad_line: SKIP",
                               kTagger));
  EXPECT_EQ(task.train[0].tokens, 2u);
  EXPECT_THAT(task.warnings, Contains(HasSubstr("train:3: saw tag \"PER\"")));
}

TEST_F(PrepareTest, NothingLeft_SaysWhy) {
  const std::string train = folder_.Write("train", "no tab\nnor here\n");
  EXPECT_THAT(
      Prepare("label_text { train: " + Quote(train) + " } on_bad_line: SKIP",
              kClassifier),
      StatusIs(absl::StatusCode::kInvalidArgument,
               ::testing::AllOf(HasSubstr("holds no text to train on"),
                                HasSubstr("bad lines: 2"),
                                HasSubstr("train:1: saw no TAB"))));
}

// T-075: the job's seed alone decides what is held out.
TEST_F(PrepareTest, HeldOutParts_AreDisjointAndStable) {
  const std::string train = folder_.Write("train", Texts(40));
  const std::string corpus = "label_text { train: " + Quote(train) +
                             " } dev_fraction: 0.25 test_fraction: 0.25";
  const auto ids = [&](const std::vector<EncodedShardInfo>& shards) {
    std::vector<std::string> blobs;
    for (const EncodedShardInfo& shard : shards) blobs.push_back(shard.data.id);
    return blobs;
  };
  ASSERT_OK_AND_ASSIGN(const PreparedTask one,
                       Prepare(corpus, kClassifier, {.seed = 7, .shards = 1}));
  ASSERT_OK_AND_ASSIGN(const PreparedTask four,
                       Prepare(corpus, kClassifier, {.seed = 7, .shards = 4}));
  ASSERT_OK_AND_ASSIGN(const PreparedTask other,
                       Prepare(corpus, kClassifier, {.seed = 8, .shards = 1}));

  EXPECT_EQ(ids(one.dev), ids(four.dev));
  EXPECT_EQ(ids(one.test), ids(four.test));
  EXPECT_NE(one.manifest_json, other.manifest_json);
  EXPECT_EQ(one.train[0].examples, 20u);
  // Exact cover is Manifest_ProvesExactCover.
}

TEST_F(PrepareTest, ModelThatDoesNotFitTheFormat_IsRefused) {
  const std::string train = folder_.Write("train", Texts(3));
  EXPECT_THAT(Prepare("label_text { train: " + Quote(train) + " }", kTagger),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("sequence_tagger needs")));
}

TEST_F(PrepareTest, Ngrams_FollowTheWordsOfEachSample) {
  const std::string train = folder_.Write("train", "x\ta b c\n");
  ASSERT_OK_AND_ASSIGN(
      const PreparedTask task,
      Prepare("label_text { train: " + Quote(train) + " }",
              "text_classifier { embeddings { one_hot { min_frequency: 1 } } "
              "ngrams { size: 2 buckets: 10 } bag {} }"));

  const SafetensorsFile file = Open(task.train[0]);
  ASSERT_OK_AND_ASSIGN(const EncodedShard view, ViewEncodedShard(file));
  const std::vector<std::string_view> words = {"a", "b", "c"};
  const auto bucket = [&](size_t first) {
    return 4 + static_cast<int32_t>(
                   HashNgram(std::span(words).subspan(first, 2)) % 10);
  };
  EXPECT_THAT(view.ids, ElementsAre(1, 2, 3, bucket(0), bucket(1)));
  EXPECT_EQ(task.train[0].tokens, 3u);
}

}  // namespace
}  // namespace meanfield::corpus

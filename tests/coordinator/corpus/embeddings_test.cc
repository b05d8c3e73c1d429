// PrepareTask for stacked embeddings, CRF, label weights, several labels a
// text.
#include <string>
#include <variant>
#include <vector>

#include "common/model/encoded_shard.h"
#include "common/tensor/safetensors.h"
#include "coordinator/corpus/corpus.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
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

class EmbeddingsTest : public ::testing::Test {
 protected:
  EmbeddingsTest() : blobs_(*BlobStore::Open(folder_.File("blobs"))) {}

  std::string Write(const std::string& name, const std::string& text) {
    return "\"" + folder_.Write(name, text) + "\"";
  }
  absl::StatusOr<PreparedTask> Prepare(const std::string& task_text) {
    proto::Task task;
    EXPECT_TRUE(
        google::protobuf::TextFormat::ParseFromString(task_text, &task));
    return PrepareTask(task, {}, blobs_);
  }
  absl::StatusOr<PreparedTask> PrepareTagger(const std::string& model) {
    return Prepare("corpus { conll { train: " +
                   Write("train", "The B-A\ncat I-A\n\nThe O\n") +
                   " label_column: 1 } } model { sequence_tagger { " + model +
                   " } }");
  }
  absl::StatusOr<PreparedTask> PrepareTexts(const std::string& lines,
                                            const std::string& model) {
    return Prepare("corpus { fasttext { train: " + Write("train", lines) +
                   " dev: " + Write("dev", "__label__x a\n__label__new b\n") +
                   " } } model { text_classifier { embeddings { one_hot { "
                   "min_frequency: 1 } } " +
                   model + " } }");
  }
  SafetensorsFile Open(const EncodedShardInfo& shard) {
    return *SafetensorsFile::Open(*blobs_.Path(shard.data));
  }

  const TemporaryFolder folder_;
  BlobStore blobs_;
};

TEST_F(EmbeddingsTest, Stack_HasARowOfIdsForEachTable) {
  ASSERT_OK_AND_ASSIGN(
      const PreparedTask task,
      PrepareTagger("embeddings { word_vectors { file: " +
                    Write("v", "cat 1 2\nthe 3 4\ndog 5 6\n") +
                    " } } embeddings { characters { hidden_size: 7 } } "
                    "embeddings { one_hot { min_frequency: 2 } }"));

  const auto& model = std::get<SequenceTaggerConfig>(task.model.model);
  EXPECT_THAT(model.embeddings,
              ElementsAre(Embeddings(WordEmbeddings{.num_embeddings = 4,
                                                    .embedding_size = 2}),
                          Embeddings(CharacterEmbeddings{.num_characters = 7,
                                                         .hidden_size = 7}),
                          Embeddings(OneHotEmbeddings{.num_embeddings = 2})));
  const SafetensorsFile file = Open(task.train[0]);
  ASSERT_OK_AND_ASSIGN(const EncodedShard shard, ViewEncodedShard(file));
  EXPECT_EQ(shard.num_tokens(), 3);
  ASSERT_THAT(shard.ids, SizeIs(6));
  const bool long_first = shard.offsets[1] == 2;
  EXPECT_THAT(shard.ids, long_first ? ElementsAre(1, 0, 1, 1, 0, 1)
                                    : ElementsAre(1, 1, 0, 1, 1, 0));
}

TEST_F(EmbeddingsTest, Characters_AreOfDistinctWordsInOrderOfFirstUse) {
  ASSERT_OK_AND_ASSIGN(const PreparedTask task,
                       PrepareTagger("embeddings { characters {} }"));

  // T, h and e occur twice; c, a and t once.
  EXPECT_THAT(task.dictionaries.embeddings[0].items.items(),
              ElementsAre("<unk>", "T", "e", "h", "a", "c", "t"));
  const SafetensorsFile file = Open(task.train[0]);
  ASSERT_OK_AND_ASSIGN(const EncodedShard shard, ViewEncodedShard(file));
  EXPECT_THAT(shard.ids, IsEmpty());
  EXPECT_THAT(shard.characters, ElementsAre(1, 3, 2, 5, 4, 6));
  EXPECT_THAT(shard.character_offsets, ElementsAre(0, 3, 6));
  EXPECT_THAT(shard.words, shard.offsets[1] == 2 ? ElementsAre(0, 1, 0)
                                                 : ElementsAre(0, 0, 1));
}

TEST_F(EmbeddingsTest, WordVectors_AreFrozenOrGivenUnderFlairsNames) {
  const std::string vectors =
      "embeddings { word_vectors { file: " + Write("v", "cat 1 2\nthe 1 2\n");
  ASSERT_OK_AND_ASSIGN(const PreparedTask one, PrepareTagger(vectors + " } }"));
  ASSERT_THAT(one.frozen, SizeIs(1));
  EXPECT_THAT(one.given, IsEmpty());
  EXPECT_EQ(one.frozen[0].spec.name, "embeddings.embedding.weight");
  EXPECT_EQ(one.frozen[0].spec.role, TensorRole::kFrozen);
  ASSERT_OK_AND_ASSIGN(const PreparedTask two,
                       PrepareTagger("embeddings { characters {} } " + vectors +
                                     " fine_tune: true } }"));
  EXPECT_THAT(two.frozen, IsEmpty());
  ASSERT_THAT(two.given, SizeIs(1));
  EXPECT_EQ(two.given[0].spec.name,
            "embeddings.list_embedding_1.embedding.weight");
  EXPECT_THAT(two.given[0].spec.shape, ElementsAre(3, 2));
  EXPECT_THAT(two.manifest_json,
              HasSubstr("embeddings.list_embedding_1.embedding.weight"));
}

TEST_F(EmbeddingsTest, VectorsOfAnotherLanguage_AreWarnedOf) {
  ASSERT_OK_AND_ASSIGN(
      const PreparedTask task,
      PrepareTagger("embeddings { word_vectors { file: " +
                    Write("v", "cat 1 2\nkat 1 2\n") + " } }"));
  EXPECT_THAT(task.warnings,
              Contains(HasSubstr("33 % of the training tokens only")));
}

TEST_F(EmbeddingsTest, Crf_AddsStartAndStopAsTheLastTags) {
  ASSERT_OK_AND_ASSIGN(const PreparedTask task,
                       PrepareTagger("embeddings { characters {} } crf: true"));
  EXPECT_THAT(
      task.dictionaries.labels.items(),
      ElementsAre("O", "S-A", "B-A", "E-A", "I-A", "<START>", "<STOP>"));
  const auto& model = std::get<SequenceTaggerConfig>(task.model.model);
  EXPECT_TRUE(model.crf);
  EXPECT_EQ(model.num_tags, 7);
}

TEST_F(EmbeddingsTest, TagCalledStart_IsRefusedWithACrfOnly) {
  const auto prepare = [&](const std::string& model) {
    return Prepare(
        "corpus { conll { train: " + Write("train", "a X\nb <START>\n") +
        " label_column: 1 } } model { sequence_tagger { embeddings "
        "{ characters {} } " +
        model + " } }");
  };
  EXPECT_OK(prepare(""));
  EXPECT_THAT(prepare("crf: true"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("a tag is called <START>")));
}

TEST_F(EmbeddingsTest, LabelWeights_AreOfTagsOrOfClassesOfSpans) {
  ASSERT_OK_AND_ASSIGN(
      const PreparedTask task,
      PrepareTagger("embeddings { characters {} } label_weights { label: 'A' "
                    "weight: 3 } label_weights { label: 'O' weight: 0.5 }"));
  EXPECT_THAT(std::get<SequenceTaggerConfig>(task.model.model).label_weights,
              ElementsAre(0.5, 3, 3, 3, 3));
  EXPECT_THAT(
      PrepareTagger("embeddings { characters {} } label_weights { label: 'B' "
                    "weight: 3 }"),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("no label \"B\"; its labels are \"O\", \"S-A\"")));
}

TEST_F(EmbeddingsTest, SeveralLabels_RiseAndMayBeNone) {
  ASSERT_OK_AND_ASSIGN(
      const PreparedTask task,
      PrepareTexts("__label__y __label__x a\nb\n__label__x a\n",
                   "multi_label: true"));

  EXPECT_THAT(task.dictionaries.labels.items(), ElementsAre("<unk>", "x", "y"));
  EXPECT_TRUE(task.dictionaries.multi_label);
  EXPECT_TRUE(std::get<TextClassifierConfig>(task.model.model).multi_label);
  const SafetensorsFile train = Open(task.train[0]);
  ASSERT_OK_AND_ASSIGN(const EncodedShard shard, ViewEncodedShard(train));
  EXPECT_THAT(shard.labels, SizeIs(3));
  EXPECT_THAT(shard.label_offsets, SizeIs(4));
  // A label that training lacks is none.
  const SafetensorsFile dev = Open(task.dev[0]);
  ASSERT_OK_AND_ASSIGN(const EncodedShard dev_shard, ViewEncodedShard(dev));
  EXPECT_THAT(dev_shard.labels, ElementsAre(1));
  EXPECT_THAT(dev_shard.label_offsets, ElementsAre(0, 1, 1));
  EXPECT_THAT(task.warnings, ElementsAre(HasSubstr("label \"new\"")));
}

TEST_F(EmbeddingsTest, RecurrentClassifier_TakesFlairsDefaults) {
  ASSERT_OK_AND_ASSIGN(
      const PreparedTask task,
      PrepareTexts("__label__x a\n__label__y b\n",
                   "embeddings { characters {} } rnn { type: GRU }"));
  const auto& model = std::get<TextClassifierConfig>(task.model.model);
  EXPECT_EQ(std::get<DocumentRnnConfig>(model.document),
            (DocumentRnnConfig{.rnn = {.type = RnnType::kGru,
                                       .hidden_size = 128,
                                       .bidirectional = false},
                               .reproject_words_dimension = 350}));
  ASSERT_OK_AND_ASSIGN(
      const PreparedTask plain,
      PrepareTexts("__label__x a\n__label__y b\n",
                   "rnn { hidden_size: 3 bidirectional: true } "
                   "reproject_words: false dropout: 0"));
  const auto& document = std::get<DocumentRnnConfig>(
      std::get<TextClassifierConfig>(plain.model.model).document);
  EXPECT_EQ(document.reproject_words_dimension, std::nullopt);
  EXPECT_EQ(document.rnn.hidden_size, 3);
  EXPECT_EQ(document.dropout, 0);
}

}  // namespace
}  // namespace meanfield::corpus

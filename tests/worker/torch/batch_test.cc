#include "worker/torch/batch.h"

#include <cstdint>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/worker/torch/toy_units.h"

namespace meanfield {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::ToyShard;

// Samples of 2, 1 and 3 tokens of the words 0 "ab", 1 "c", 2 "de", 3 "f".
ToyShard ThreeSentences() {
  ToyShard shard;
  shard.ids = {10, 11, 12, 13, 14, 15, 20, 21, 22, 23, 24, 25};
  shard.offsets = {0, 2, 3, 6};
  shard.tags = {0, 1, 2, 3, 4, 5};
  shard.words = {3, 1, 0, 1, 3, 1};
  shard.characters = {1, 2, 3, 4, 5, 6};
  shard.character_offsets = {0, 2, 3, 5, 6};
  return shard;
}

ModelConfig TwoTablesAndCharacters() {
  return {SequenceTaggerConfig{
      .embeddings = {
          OneHotEmbeddings{.num_embeddings = 30, .embedding_size = 2},
          CharacterEmbeddings{.num_characters = 7},
          WordEmbeddings{.num_embeddings = 30, .embedding_size = 2}}}};
}

TEST(BatchReader, SeveralTables_EachHasARow) {
  const ToyShard shard = ThreeSentences();
  const EncodedShard view = shard.view();
  BatchReader reader(TwoTablesAndCharacters(), view);

  const Batch& batch = reader.Gather(std::vector<int64_t>{2, 0});

  EXPECT_THAT(batch.offsets, ElementsAre(0, 3, 5));
  EXPECT_THAT(batch.ids, ElementsAre(13, 14, 15, 10, 11, 23, 24, 25, 20, 21));
  EXPECT_THAT(batch.targets, ElementsAre(3, 4, 5, 0, 1));
  EXPECT_EQ(batch.num_items, 5);
  EXPECT_EQ(batch.num_tokens, 5);
}

TEST(BatchReader, Words_AreNumberedByFirstUseInEachBatch) {
  const ToyShard shard = ThreeSentences();
  const EncodedShard view = shard.view();
  BatchReader reader(TwoTablesAndCharacters(), view);

  for (int i = 0; i < 2; ++i) {
    const Batch& batch = reader.Gather(std::vector<int64_t>{0, 2});
    EXPECT_THAT(batch.words, ElementsAre(0, 1, 1, 0, 1));
    EXPECT_THAT(batch.characters, ElementsAre(6, 3));
    EXPECT_THAT(batch.character_offsets, ElementsAre(0, 1, 2));
  }
  const Batch& other = reader.Gather(std::vector<int64_t>{1});
  EXPECT_THAT(other.words, ElementsAre(0));
  EXPECT_THAT(other.characters, ElementsAre(1, 2));
}

TEST(BatchReader, NoTags_NoTargets) {
  ToyShard shard = ThreeSentences();
  shard.tags.clear();
  const EncodedShard view = shard.view();
  BatchReader reader(TwoTablesAndCharacters(), view);

  EXPECT_THAT(reader.GatherRange(1, 5).targets, IsEmpty());
  EXPECT_EQ(reader.GatherRange(1, 5).num_items, 4);
}

TEST(BatchReader, SeveralLabels_HaveOffsets) {
  ToyShard shard;
  shard.ids = {1, 2, 3};
  shard.offsets = {0, 1, 2, 3};
  shard.labels = {0, 2, 1};
  shard.label_offsets = {0, 2, 2, 3};
  const EncodedShard view = shard.view();
  ModelConfig model = testing::ToyRecurrentClassifier();
  std::get<TextClassifierConfig>(model.model).multi_label = true;
  BatchReader reader(model, view);

  const Batch& batch = reader.Gather(std::vector<int64_t>{2, 1, 0});

  EXPECT_THAT(batch.targets, ElementsAre(1, 0, 2));
  EXPECT_THAT(batch.target_offsets, ElementsAre(0, 1, 1, 3));
}

}  // namespace
}  // namespace meanfield

#include "worker/torch/batch_slice.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace meanfield {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Texts of 2, 0, 1 and 2 tokens; two tables of ids.
Batch Texts() {
  return {.ids = {1, 2, 3, 4, 5, 11, 12, 13, 14, 15},
          .offsets = {0, 2, 2, 3, 5},
          .words = {0, 1, 0, 2, 1},
          .characters = {7, 8, 8, 9, 9, 9},
          .character_offsets = {0, 1, 3, 6},
          .targets = {20, 21, 22, 23},
          .num_items = 4,
          .num_tokens = 5};
}

TEST(BatchSlice, TextsOfAClassifier_KeepTheirRowsAndLabels) {
  const Batch slice = SliceBatch(Texts(), 1, 4);

  EXPECT_THAT(slice.offsets, ElementsAre(0, 0, 1, 3));
  EXPECT_THAT(slice.ids, ElementsAre(3, 4, 5, 13, 14, 15));
  EXPECT_THAT(slice.targets, ElementsAre(21, 22, 23));
  EXPECT_EQ(slice.num_items, 3);
}

TEST(BatchSlice, DistinctWords_AreThoseInUseInOrderOfFirstUse) {
  const Batch slice = SliceBatch(Texts(), 3, 4);

  EXPECT_THAT(slice.words, ElementsAre(0, 1));  // were 2 and 1
  EXPECT_THAT(slice.characters, ElementsAre(9, 9, 9, 8, 8));
  EXPECT_THAT(slice.character_offsets, ElementsAre(0, 3, 5));
}

TEST(BatchSlice, SentencesOfATagger_KeepTheirTags) {
  Batch batch = Texts();
  batch.offsets = {0, 2, 3, 5};
  batch.targets = {30, 31, 32, 33, 34};
  batch.num_items = 5;

  const Batch slice = SliceBatch(batch, 1, 3);

  EXPECT_THAT(slice.targets, ElementsAre(32, 33, 34));
  EXPECT_EQ(slice.num_items, 3);
}

TEST(BatchSlice, LabelSets_AreCountedFromTheSlice) {
  Batch batch = Texts();
  batch.targets = {0, 2, 1, 0, 1};
  batch.target_offsets = {0, 2, 2, 3, 5};

  const Batch slice = SliceBatch(batch, 2, 4);

  EXPECT_THAT(slice.targets, ElementsAre(1, 0, 1));
  EXPECT_THAT(slice.target_offsets, ElementsAre(0, 1, 3));
}

TEST(BatchSlice, EmptyTextsOnly_HaveNoIds) {
  const Batch slice = SliceBatch(Texts(), 1, 2);

  EXPECT_THAT(slice.offsets, ElementsAre(0, 0));
  EXPECT_THAT(slice.ids, IsEmpty());
  EXPECT_EQ(slice.num_items, 1);
}

}  // namespace
}  // namespace meanfield

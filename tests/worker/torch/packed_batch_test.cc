#include "worker/torch/packed_batch.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace meanfield {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PackedBatch, LengthsInAnyOrder_AreSortedAndInterleaved) {
  // Sequences of 1, 3, 0 and 3 tokens.
  const Batch batch{.ids = {10, 20, 21, 22, 30, 31, 32},
                    .offsets = {0, 1, 4, 4, 7},
                    .targets = {1, 2, 3, 4, 5, 6, 7},
                    .num_items = 7};

  const PackedBatch packed = Pack(batch);

  EXPECT_THAT(packed.batch_sizes, ElementsAre(3, 2, 2));
  EXPECT_THAT(packed.ids, ElementsAre(20, 30, 10, 21, 31, 22, 32));
  EXPECT_THAT(packed.targets, ElementsAre(2, 5, 1, 3, 6, 4, 7));
  EXPECT_THAT(packed.sequence_of_row, ElementsAre(0, 1, 2, 0, 1, 0, 1));
  EXPECT_THAT(packed.item_of_row, ElementsAre(1, 4, 0, 2, 5, 3, 6));
}

TEST(PackedBatch, EmptySequencesOnly_NothingIsLeft) {
  const PackedBatch packed = Pack({.offsets = {0, 0, 0}});

  EXPECT_THAT(packed.ids, IsEmpty());
  EXPECT_THAT(packed.batch_sizes, IsEmpty());
}

TEST(PackedBatch, NoTargets_StayAbsent) {
  const PackedBatch packed =
      Pack({.ids = {4, 5}, .offsets = {0, 2}, .num_items = 2});

  EXPECT_THAT(packed.targets, IsEmpty());
  EXPECT_THAT(packed.batch_sizes, ElementsAre(1, 1));
}

}  // namespace
}  // namespace meanfield

#include "worker/torch/packed_batch.h"

#include <cstdint>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace meanfield {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PackedBatch, LengthsInAnyOrder_AreSortedAndInterleaved) {
  // Sequences of 1, 3, 0 and 3 items.
  const std::vector<int64_t> offsets = {0, 1, 4, 4, 7};

  const PackedBatch packed = Pack(offsets);

  EXPECT_THAT(packed.batch_sizes, ElementsAre(3, 2, 2));
  EXPECT_THAT(packed.samples, ElementsAre(1, 3, 0));
  EXPECT_THAT(packed.sequence_of_row, ElementsAre(0, 1, 2, 0, 1, 0, 1));
  EXPECT_THAT(packed.item_of_row, ElementsAre(1, 4, 0, 2, 5, 3, 6));
  EXPECT_EQ(packed.num_rows(), 7);
}

TEST(PackedBatch, EmptySequencesOnly_NothingIsLeft) {
  const std::vector<int64_t> offsets = {0, 0, 0};

  const PackedBatch packed = Pack(offsets);

  EXPECT_THAT(packed.samples, IsEmpty());
  EXPECT_THAT(packed.batch_sizes, IsEmpty());
}

TEST(PackedBatch, InRowOrder_FollowsTheItems) {
  const std::vector<int64_t> offsets = {0, 1, 3};
  const std::vector<int32_t> values = {10, 20, 21};

  EXPECT_THAT(InRowOrder(values, Pack(offsets)), ElementsAre(20, 10, 21));
}

}  // namespace
}  // namespace meanfield

#include "worker/trainer/batch_order.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace meanfield {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

std::vector<int64_t> Batch(BatchOrder& order, uint64_t step) {
  const auto batch = order.Batch(step);
  return {batch.begin(), batch.end()};
}

std::vector<int64_t> Epoch(BatchOrder& order, uint64_t epoch) {
  std::vector<int64_t> samples;
  for (int64_t i = 0; i < order.steps_per_epoch(); ++i) {
    const auto batch = order.Batch(epoch * order.steps_per_epoch() + i);
    samples.insert(samples.end(), batch.begin(), batch.end());
  }
  return samples;
}

// The order is a contract: recorded runs must repeat.
TEST(BatchOrder, Values_ArePinned) {
  BatchOrder order(/*num_samples=*/5, /*batch_size=*/2, /*order_seed=*/42);

  EXPECT_THAT(Batch(order, 0), ElementsAre(3, 2));
  EXPECT_THAT(Batch(order, 1), ElementsAre(4, 1));
  EXPECT_THAT(Batch(order, 2), ElementsAre(0));
  EXPECT_THAT(Batch(order, 3), ElementsAre(4, 2));
}

TEST(BatchOrder, Epoch_IsAPermutationOfTheShard) {
  BatchOrder order(101, 8, 1);
  EXPECT_EQ(order.steps_per_epoch(), 13);

  for (const uint64_t epoch : {0, 1, 2}) {
    std::vector<int64_t> samples = Epoch(order, epoch);
    std::sort(samples.begin(), samples.end());
    ASSERT_EQ(samples.size(), 101);
    for (int64_t i = 0; i < 101; ++i) EXPECT_EQ(samples[i], i);
  }
}

TEST(BatchOrder, LastBatch_IsSmallerAndCrossesNoEpoch) {
  BatchOrder order(10, 4, 1);

  EXPECT_EQ(order.steps_per_epoch(), 3);
  EXPECT_EQ(order.Batch(2).size(), 2);
  EXPECT_EQ(order.Batch(3).size(), 4);
  EXPECT_EQ(order.Batch(5).size(), 2);
}

TEST(BatchOrder, BatchThatDividesTheShard_HasNoEmptyLastBatch) {
  BatchOrder order(8, 4, 1);

  EXPECT_EQ(order.steps_per_epoch(), 2);
  EXPECT_EQ(order.Batch(1).size(), 4);
}

TEST(BatchOrder, BatchLargerThanTheShard_IsTheShard) {
  BatchOrder order(3, 100, 1);

  EXPECT_EQ(order.steps_per_epoch(), 1);
  EXPECT_EQ(order.Batch(7).size(), 3);
}

TEST(BatchOrder, Steps_NeedNotComeInOrder) {
  BatchOrder forward(50, 8, 9);
  std::vector<std::vector<int64_t>> batches;
  for (uint64_t step = 0; step < 21; ++step) {
    batches.push_back(Batch(forward, step));
  }

  BatchOrder backward(50, 8, 9);
  for (uint64_t step = 21; step-- > 0;) {
    EXPECT_THAT(Batch(backward, step), ElementsAreArray(batches[step]));
  }
}

TEST(BatchOrder, EpochsAndSeeds_DifferInOrder) {
  BatchOrder order(50, 8, 9);
  BatchOrder other(50, 8, 10);

  EXPECT_NE(Epoch(order, 0), Epoch(order, 1));
  EXPECT_NE(Epoch(order, 0), Epoch(other, 0));
}

TEST(BatchOrder, BatchSize_DoesNotChangeTheOrder) {
  BatchOrder small(50, 3, 9);
  BatchOrder large(50, 32, 9);

  EXPECT_EQ(Epoch(small, 4), Epoch(large, 4));
}

TEST(BatchOrder, VeryLateStep_IsFine) {
  BatchOrder order(10, 4, 1);

  EXPECT_EQ(order.Batch(UINT64_MAX).size(), UINT64_MAX % 3 == 2 ? 2 : 4);
}

TEST(BatchOrderDeathTest, EmptyShard_HasNoBatches) {
  BatchOrder order(0, 4, 1);

  EXPECT_EQ(order.steps_per_epoch(), 0);
  EXPECT_DEATH(order.Batch(0), "an empty shard has no batches");
}

}  // namespace
}  // namespace meanfield

#include "coordinator/corpus/split.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace meanfield::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<int64_t> UpTo(int64_t count) {
  std::vector<int64_t> all(static_cast<size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST(HoldOut, Fractions_TakeRoundedShareOfEachAndLoseNothing) {
  const HeldOut parts = HoldOut(105, 0.1, 0.05, 42, "t");

  EXPECT_THAT(parts.dev, SizeIs(11));
  EXPECT_THAT(parts.test, SizeIs(5));
  std::vector<int64_t> all = parts.train;
  all.insert(all.end(), parts.dev.begin(), parts.dev.end());
  all.insert(all.end(), parts.test.begin(), parts.test.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, UpTo(105));
  EXPECT_TRUE(std::is_sorted(parts.train.begin(), parts.train.end()));
}

TEST(HoldOut, Seed_DecidesAndTaskNameDoes) {
  const auto dev = [](uint64_t seed, std::string_view task) {
    return HoldOut(1000, 0.1, 0, seed, task).dev;
  };
  EXPECT_EQ(dev(1, "a"), dev(1, "a"));
  EXPECT_NE(dev(1, "a"), dev(2, "a"));
  EXPECT_NE(dev(1, "a"), dev(1, "b"));
}

TEST(HoldOut, NoFraction_KeepsAllForTraining) {
  const HeldOut parts = HoldOut(3, 0, 0, 42, "t");
  EXPECT_EQ(parts.train, UpTo(3));
  EXPECT_THAT(parts.dev, IsEmpty());
}

TEST(DealToShards, AnyNumberOfShards_DealsOneShuffle) {
  const auto one = DealToShards(UpTo(10), 1, 42, "t");
  const auto three = DealToShards(UpTo(10), 3, 42, "t");

  EXPECT_NE(one[0], UpTo(10));
  ASSERT_THAT(three, ElementsAre(SizeIs(4), SizeIs(3), SizeIs(3)));
  for (size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(three[i % 3][i / 3], one[0][i]);
  }
}

TEST(CutIntoBatchRuns, Shards_AreWholeBatchesButForTheLast) {
  EXPECT_THAT(CutIntoBatchRuns(100, 16, 3), ElementsAre(32, 32, 36));
  EXPECT_THAT(CutIntoBatchRuns(100, 16, 1), ElementsAre(100));
}

TEST(CutIntoBatchRuns, FewBatches_MakeFewShards) {
  EXPECT_THAT(CutIntoBatchRuns(20, 16, 7), ElementsAre(16, 4));
  EXPECT_THAT(CutIntoBatchRuns(1, 64, 7), ElementsAre(1));
}

}  // namespace
}  // namespace meanfield::corpus

#include "common/base/random.h"

#include <array>
#include <cstdint>
#include <numeric>
#include <set>
#include <span>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace meanfield {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Lt;

// The numbers in this file are a contract: a run that was recorded with them
// must repeat.

TEST(CounterRng, Values_ArePublishedSplitMix64) {
  CounterRng rng(1234567);

  std::vector<uint64_t> values;
  for (int i = 0; i < 5; ++i) values.push_back(rng());

  EXPECT_THAT(values, ElementsAre(6457827717110365317u, 3203168211198807973u,
                                  9817491932198370423u, 4593380528125082431u,
                                  16408922859458223821u));
}

TEST(CounterRng, Below_IsPinned) {
  CounterRng rng(42);

  std::vector<uint64_t> values;
  for (int i = 0; i < 8; ++i) values.push_back(rng.Below(1000));

  EXPECT_THAT(values, ElementsAre(413, 291, 858, 764, 250, 62, 925, 908));
}

TEST(CounterRng, Below_RejectsWhatWouldMakeSmallRemaindersLikelier) {
  // 2^64 mod bound = 2^63 - 1: nearly half of all values are rejected. Without
  // it a result below 2^63 - 1 would come from two values.
  constexpr uint64_t kBound = (uint64_t{1} << 63) + 1;
  CounterRng rng(7);
  CounterRng raw(7);

  for (int i = 0; i < 100; ++i) {
    const uint64_t value = rng.Below(kBound);
    uint64_t expected = raw();
    while (expected < kBound - 2) expected = raw();
    EXPECT_EQ(value, expected % kBound);
  }
}

TEST(CounterRng, Below_StaysBelowAndReachesEveryValue) {
  CounterRng rng(3);

  std::vector<int> counts(7);
  for (int i = 0; i < 7000; ++i) ++counts[rng.Below(7)];

  EXPECT_THAT(counts, Each(::testing::AllOf(::testing::Gt(850), Lt(1150))));
}

TEST(CounterRng, Below_OneIsAlwaysZero) {
  CounterRng rng(3);
  EXPECT_EQ(rng.Below(1), 0);
}

TEST(CounterRngDeathTest, Below_ZeroAborts) {
  CounterRng rng(3);
  EXPECT_DEATH(rng.Below(0), "no number is below 0");
}

TEST(Shuffle, Order_IsPinned) {
  std::array<int, 10> items;
  std::iota(items.begin(), items.end(), 0);
  CounterRng rng(42);

  Shuffle(std::span(items), rng);

  EXPECT_THAT(items, ElementsAre(0, 9, 5, 8, 6, 4, 7, 2, 1, 3));
}

TEST(Shuffle, EmptyAndSingle_DrawNothing) {
  std::vector<int> one = {5};
  CounterRng rng(1);

  Shuffle(std::span<int>(), rng);
  Shuffle(std::span(one), rng);

  EXPECT_EQ(one.front(), 5);
  EXPECT_EQ(rng(), CounterRng(1)());
}

TEST(DeriveSeed, Values_ArePinned) {
  EXPECT_EQ(DeriveSeed({}), 8695987549771912286u);
  EXPECT_EQ(DeriveSeed({.job_seed = 1}), 3786468572763441381u);
  EXPECT_EQ(DeriveSeed({.job_seed = 17,
                        .round = 3,
                        .task = "ner",
                        .shard = 2,
                        .purpose = "train"}),
            10898473885532204403u);
  EXPECT_EQ(DeriveSeed({.job_seed = 17,
                        .round = 3,
                        .task = "a task with a long name",
                        .shard = 2,
                        .purpose = "order"}),
            2319232576596709182u);
}

TEST(DeriveSeed, EveryField_Counts) {
  const std::set<uint64_t> seeds = {
      DeriveSeed({}),
      DeriveSeed({.job_seed = 1}),
      DeriveSeed({.round = 1}),
      DeriveSeed({.task = "a"}),
      DeriveSeed({.shard = 1}),
      DeriveSeed({.purpose = "a"}),
      DeriveSeed({.task = std::string_view("a\0", 2)}),
      DeriveSeed({.task = "ab", .purpose = "c"}),
      DeriveSeed({.task = "a", .purpose = "bc"}),
  };

  EXPECT_EQ(seeds.size(), 9);
}

TEST(DeriveSeed, ManyKeys_GiveNoSeedTwice) {
  std::set<uint64_t> seeds;

  for (uint64_t round = 0; round < 100; ++round) {
    for (uint64_t shard = 0; shard < 100; ++shard) {
      seeds.insert(DeriveSeed({.round = round, .shard = shard}));
    }
  }

  EXPECT_EQ(seeds.size(), 10000);
}

}  // namespace
}  // namespace meanfield

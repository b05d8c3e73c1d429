#include "common/metric/label_statistics.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace meanfield {
namespace {

using ::testing::ElementsAre;
using ::testing::FieldsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

LabelStatistics Of(
    std::vector<std::pair<std::string_view, std::string_view>> decisions) {
  LabelStatistics statistics;
  for (const auto& [gold, predicted] : decisions) {
    statistics.Add(gold, predicted);
  }
  return statistics;
}

TEST(LabelStatistics, Empty_ScoresZero) {
  const LabelStatistics none;

  EXPECT_EQ(none.keys(), 0);
  EXPECT_THAT(none.Classes(), IsEmpty());
  EXPECT_THAT(none.Confusions(10), IsEmpty());
  EXPECT_EQ(none.Accuracy(), 0);
  EXPECT_EQ(none.MicroPrecision(), 0);
  EXPECT_EQ(none.MicroRecall(), 0);
  EXPECT_EQ(none.MicroF1(), 0);
  EXPECT_EQ(none.MacroF1(), 0);
  EXPECT_EQ(none.WeightedF1(), 0);
  EXPECT_THAT(none.Majority(), Pair("", 0));
}

TEST(LabelStatistics, BothSidesEmpty_IsNoKey) {
  EXPECT_EQ(Of({{"", ""}}).keys(), 0);
}

TEST(LabelStatistics, WithBothSidesAlways_MicroScoresAreAccuracy) {
  const LabelStatistics s =
      Of({{"a", "a"}, {"a", "b"}, {"b", "b"}, {"c", "b"}, {"a", "a"}});

  EXPECT_EQ(s.Accuracy(), 0.6);
  EXPECT_EQ(s.MicroPrecision(), 0.6);
  EXPECT_EQ(s.MicroRecall(), 0.6);
  EXPECT_EQ(s.MicroF1(), 0.6);
}

TEST(LabelStatistics, Classes_CountAndScoreEachLabel) {
  const LabelStatistics s =
      Of({{"a", "a"}, {"a", "b"}, {"b", "b"}, {"c", "b"}, {"a", "a"}});

  EXPECT_THAT(s.Classes(),
              ElementsAre(FieldsAre("a", 2, 0, 1, 1.0, 2.0 / 3, 4.0 / 5),
                          FieldsAre("b", 1, 2, 0, 1.0 / 3, 1.0, 2.0 / 4),
                          FieldsAre("c", 0, 0, 1, 0.0, 0.0, 0.0)));
  EXPECT_EQ(s.MacroF1(), (0.8 + 0.5 + 0) / 3);
  EXPECT_EQ(s.WeightedF1(), (0.8 * 3 + 0.5 * 1 + 0) / 5);
}

TEST(LabelStatistics, MissingSides_CountForOneLabelOnly) {
  const LabelStatistics s = Of({{"a", ""}, {"", "b"}, {"a", "a"}});

  EXPECT_EQ(s.keys(), 3);
  EXPECT_EQ(s.Accuracy(), 1.0 / 3);
  EXPECT_EQ(s.MicroPrecision(), 0.5);
  EXPECT_EQ(s.MicroRecall(), 0.5);
  EXPECT_EQ(s.MicroF1(), 0.5);
}

TEST(LabelStatistics, Classes_ByFrequencyThenName) {
  const LabelStatistics s =
      Of({{"z", "z"}, {"b", "b"}, {"a", "a"}, {"m", "m"}, {"m", "a"}});

  std::vector<std::string> labels;
  for (const auto& scores : s.Classes()) labels.push_back(scores.label);

  EXPECT_THAT(labels, ElementsAre("a", "m", "b", "z"));
}

TEST(LabelStatistics, Confusions_AreTheMostFrequentFirst) {
  const LabelStatistics s = Of({{"a", "b"},
                                {"b", "a"},
                                {"b", "a"},
                                {"a", "c"},
                                {"a", "a"},
                                {"a", "a"},
                                {"", "c"}});

  EXPECT_THAT(s.Confusions(3),
              ElementsAre(FieldsAre("b", "a", 2), FieldsAre("", "c", 1),
                          FieldsAre("a", "b", 1)));
  EXPECT_EQ(s.Confusions(100).size(), 4);
  EXPECT_THAT(s.Confusions(0), IsEmpty());
}

TEST(LabelStatistics, Majority_IsTheMostFrequentGoldLabel) {
  EXPECT_THAT(Of({{"b", "a"}, {"b", "c"}, {"a", "a"}, {"", "a"}}).Majority(),
              Pair("b", 0.5));
  EXPECT_THAT(Of({{"b", "a"}, {"a", "c"}}).Majority(), Pair("a", 0.5));
  EXPECT_THAT(Of({{"", "a"}}).Majority(), Pair("", 0));
}

TEST(LabelStatistics, Merge_IsAdditionInAnyOrder) {
  const LabelStatistics a = Of({{"a", "b"}, {"a", "a"}});
  const LabelStatistics b = Of({{"c", ""}, {"a", "a"}});
  LabelStatistics ab = a;
  ab.Merge(b);
  LabelStatistics ba = b;
  ba.Merge(a);
  ba.Merge(LabelStatistics());

  EXPECT_EQ(ab.keys(), 4);
  EXPECT_EQ(ab.Accuracy(), 0.5);
  EXPECT_EQ(ab.MacroF1(), ba.MacroF1());
  EXPECT_EQ(ab.Confusions(9).size(), ba.Confusions(9).size());
}

TEST(LabelStatistics, MergeWithItself_Doubles) {
  LabelStatistics s = Of({{"a", "b"}, {"a", "a"}});

  s.Merge(s);

  EXPECT_EQ(s.keys(), 4);
  EXPECT_EQ(s.Accuracy(), 0.5);
}

TEST(LossStatistics, Mean_OfNothingIsZero) {
  EXPECT_EQ(LossStatistics().Mean(), 0);
  EXPECT_EQ((LossStatistics{.sum = 3, .count = 4}.Mean()), 0.75);
}

}  // namespace
}  // namespace meanfield

#include "common/metric/spans.h"

#include <string>
#include <string_view>
#include <vector>

#include "common/metric/label_statistics.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace meanfield {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<LabeledSpan> Decode(std::vector<std::string_view> tags) {
  return DecodeSpans(tags);
}

TEST(DecodeSpans, NothingOrOutside_HasNoSpans) {
  EXPECT_THAT(Decode({}), IsEmpty());
  EXPECT_THAT(Decode({"O", "", "_", "O-"}), IsEmpty());
}

TEST(DecodeSpans, Iob1_StartsWithBOnlyBetweenNeighbours) {
  EXPECT_THAT(Decode({"I-PER", "I-PER", "B-PER", "O", "I-LOC"}),
              ElementsAre(LabeledSpan{0, 2, "PER"}, LabeledSpan{2, 3, "PER"},
                          LabeledSpan{4, 5, "LOC"}));
}

TEST(DecodeSpans, Io_JoinsNeighboursOfOneClass) {
  EXPECT_THAT(Decode({"PER", "PER", "LOC", "O", "PER"}),
              ElementsAre(LabeledSpan{0, 2, "PER"}, LabeledSpan{2, 3, "LOC"},
                          LabeledSpan{4, 5, "PER"}));
}

TEST(DecodeSpans, HyphenInTheClass_BelongsToIt) {
  EXPECT_THAT(
      Decode({"B-geo-loc", "I-geo-loc", "B-", "I-x-y-z", "geo-loc"}),
      ElementsAre(LabeledSpan{0, 2, "geo-loc"}, LabeledSpan{2, 3, ""},
                  LabeledSpan{3, 4, "x-y-z"}, LabeledSpan{4, 5, "geo-loc"}));
}

TEST(DecodeSpans, Class_IsTheMajorityOfItsTags) {
  EXPECT_THAT(Decode({"B-PER", "E-LOC", "E-LOC"}),
              ElementsAre(LabeledSpan{0, 3, "LOC"}));
  EXPECT_THAT(Decode({"B-PER", "E-PER", "E-LOC", "E-LOC"}),
              ElementsAre(LabeledSpan{0, 4, "PER"}));
}

TEST(DecodeSpans, TieWithoutAStartingTag_GoesToTheFirstClass) {
  EXPECT_THAT(Decode({"E-PER", "E-LOC"}),
              ElementsAre(LabeledSpan{0, 2, "PER"}));
  EXPECT_THAT(Decode({"E-PER", "E-LOC", "E-LOC"}),
              ElementsAre(LabeledSpan{0, 3, "LOC"}));
}

TEST(DecodeSpans, InsideAfterEndOfTheSameClass_Extends) {
  EXPECT_THAT(Decode({"B-PER", "E-PER", "I-PER"}),
              ElementsAre(LabeledSpan{0, 3, "PER"}));
}

TEST(AddSpans, Union_CountsEverySpanOnce) {
  LabelStatistics statistics;

  AddSpans({{0, 1, "PER"}, {2, 3, "LOC"}, {4, 6, "ORG"}},
           {{0, 1, "PER"}, {2, 3, "ORG"}, {4, 5, "ORG"}}, statistics);

  // Equal; confused; gold only; predicted only.
  EXPECT_EQ(statistics.keys(), 4);
  EXPECT_EQ(statistics.Accuracy(), 0.25);
  const auto classes = statistics.Classes();
  ASSERT_EQ(classes.size(), 3);
  EXPECT_EQ(classes[0].label, "ORG");
  EXPECT_EQ(classes[0].false_positives, 2);
  EXPECT_EQ(classes[0].false_negatives, 1);
}

TEST(AddSpans, NoSpans_AddNothing) {
  LabelStatistics statistics;

  AddSpans({}, {}, statistics);

  EXPECT_EQ(statistics.keys(), 0);
}

}  // namespace
}  // namespace meanfield

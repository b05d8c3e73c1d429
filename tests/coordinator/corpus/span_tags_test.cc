#include "coordinator/corpus/span_tags.h"

#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace meanfield::corpus {
namespace {

using ::testing::ElementsAre;
using Tags = std::vector<std::string_view>;

TEST(GoldSpans, Iob1_StartsAtBBetweenNeighbours) {
  EXPECT_THAT(GoldSpans(Tags{"I-ORG", "B-ORG", "I-ORG", "O", "I-PER", "I-LOC"}),
              ElementsAre(LabeledSpan{0, 1, "ORG"}, LabeledSpan{1, 3, "ORG"},
                          LabeledSpan{4, 5, "PER"}, LabeledSpan{5, 6, "LOC"}));
}

TEST(GoldSpans, Bioes_EndsAfterEAndS) {
  EXPECT_THAT(GoldSpans(Tags{"S-A", "I-A", "E-A", "I-A", "O", "E-A", "B-A"}),
              ElementsAre(LabeledSpan{0, 1, "A"}, LabeledSpan{1, 3, "A"},
                          LabeledSpan{3, 4, "A"}, LabeledSpan{5, 6, "A"},
                          LabeledSpan{6, 7, "A"}));
}

TEST(GoldSpans, ClassWithHyphen_EndsThePrefixAtTheFirst) {
  EXPECT_THAT(GoldSpans(Tags{"B-creative-work", "I-creative-work", "_"}),
              ElementsAre(LabeledSpan{0, 2, "creative-work"}));
}

TEST(ToBioes, Spans_BecomeSingleAndBeginInsideEnd) {
  const std::vector<LabeledSpan> spans = {{0, 1, "A"}, {1, 4, "B"}};
  EXPECT_THAT(ToBioes(spans, 5), ElementsAre("S-A", "B-B", "I-B", "E-B", "O"));
  EXPECT_THAT(ToBio(spans, 5), ElementsAre("B-A", "B-B", "I-B", "I-B", "O"));
}

TEST(HasSpanPrefix, OnlyTheFourLetters_ArePrefixes) {
  EXPECT_TRUE(HasSpanPrefix("S-"));
  EXPECT_TRUE(HasSpanPrefix("I-PER"));
  EXPECT_FALSE(HasSpanPrefix("X-PER"));
  EXPECT_FALSE(HasSpanPrefix("O"));
  EXPECT_FALSE(HasSpanPrefix("BPER"));
}

}  // namespace
}  // namespace meanfield::corpus

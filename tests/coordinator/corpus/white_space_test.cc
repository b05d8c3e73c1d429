#include "coordinator/corpus/white_space.h"

#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace meanfield::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> words;
  SplitAtWhiteSpace(text, words);
  return words;
}

TEST(SplitAtWhiteSpace, UnicodeSpaces_SeparateWords) {
  // No-break space, next line, em space, ideographic space.
  EXPECT_THAT(Split("  a\tb\u00A0c\u0085\u2003d\u3000\u3000e\n"),
              ElementsAre("a", "b", "c", "d", "e"));
}

TEST(SplitAtWhiteSpace, InvisibleCharacters_ArePartOfWords) {
  // Zero-width space, left-to-right mark, soft hyphen, byte order mark.
  EXPECT_THAT(Split("a\u200Bb \u200E c\u00ADd \uFEFF"),
              ElementsAre("a\u200Bb", "\u200E", "c\u00ADd", "\uFEFF"));
}

TEST(SplitAtWhiteSpace, NothingButSpace_HasNoWords) {
  EXPECT_THAT(Split(" \t\u00A0"), IsEmpty());
  EXPECT_THAT(Split(""), IsEmpty());
}

TEST(SplitAtWhiteSpace, CutSequenceAtTheEnd_IsACharacter) {
  EXPECT_THAT(Split("a \xE2\x80"), ElementsAre("a", "\xE2\x80"));
}

TEST(IsBlank, OnlyAsciiWhiteSpace_IsBlank) {
  EXPECT_TRUE(IsBlank(""));
  EXPECT_TRUE(IsBlank(" \t\r"));
  EXPECT_FALSE(IsBlank("\u200B"));
}

}  // namespace
}  // namespace meanfield::corpus

#include "coordinator/corpus/word_forms.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace meanfield::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LowerCase, AllScripts_AreLowered) {
  EXPECT_EQ(LowerCase("McDONALD's 7"), "mcdonald's 7");
  EXPECT_EQ(LowerCase("ÄÉÑ"), "äéñ");
  EXPECT_EQ(LowerCase("ЖУК"), "жук");
  EXPECT_EQ(LowerCase("straße"), "straße");
  EXPECT_EQ(LowerCase("東京"), "東京");
  EXPECT_EQ(LowerCase(""), "");
}

// Where Python's str.lower() is more than one code point by itself.
TEST(LowerCase, SpecialCases_AreAsInPython) {
  EXPECT_EQ(LowerCase("İZMİR"), "i̇zmi̇r");
  EXPECT_EQ(LowerCase("ΟΔΟΣ"), "οδος");
  EXPECT_EQ(LowerCase("ΣΟΦΟΣ"), "σοφος");
  EXPECT_EQ(LowerCase("Σ"), "σ");
}

TEST(LowerCase, BytesThatAreNoText_StayAsTheyAre) {
  EXPECT_EQ(LowerCase("A\xFF\xC3"), "a\xFF\xC3");
}

TEST(WithDigitsAs, DigitsOfAnyScript_AreReplaced) {
  EXPECT_EQ(WithDigitsAs('#', "a1b22"), "a#b##");
  EXPECT_EQ(WithDigitsAs('0', "٣/٧"), "0/0");
  EXPECT_EQ(WithDigitsAs('#', "²Ⅷ½"), "²Ⅷ½");  // numbers, no decimal digits
}

TEST(Characters, CodePoints_AreNotBytes) {
  EXPECT_THAT(Characters("a€😀"), ElementsAre("a", "€", "😀"));
  EXPECT_THAT(Characters("e\xCC\x81"),
              ElementsAre("e", "\xCC\x81"));  // not composed
  EXPECT_THAT(Characters("\xE2\x82"), ElementsAre("\xE2", "\x82"));
  EXPECT_THAT(Characters(""), IsEmpty());
}

}  // namespace
}  // namespace meanfield::corpus

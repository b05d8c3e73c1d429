#include "coordinator/report/display_width.h"

#include "coordinator/report/quantity.h"
#include "coordinator/report/wrap.h"
#include "gtest/gtest.h"

namespace meanfield::report {
namespace {

TEST(DisplayWidth, CharactersOfEveryWidth) {
  EXPECT_EQ(DisplayWidth("abc"), 3);
  EXPECT_EQ(DisplayWidth("müßig"), 5);
  EXPECT_EQ(DisplayWidth("日本"), 4);
  EXPECT_EQ(DisplayWidth("e\xcc\x81"), 1);  // e and a combining accent
  EXPECT_EQ(DisplayWidth("a\xff\xfe"
                         "b"),
            4);  // not UTF-8
}

TEST(Fit, WiderText_IsCutAtACharacter) {
  EXPECT_EQ(FitLeft("日本語", 5), "日本…");
  EXPECT_EQ(FitLeft("日本語", 4), "日… ");
  EXPECT_EQ(FitRight("ab", 4), "  ab");
  EXPECT_EQ(FitLeft("a\tb\n", 4), "a?b?");
}

TEST(Wrap, Words_FillLinesOfEightyColumns) {
  const std::string word(38, 'x');
  EXPECT_EQ(Wrap(word + " " + word + " " + word, "  "),
            "  " + word + " " + word + "\n  " + word + "\n");
  EXPECT_EQ(Wrap("", "  "), "");
  const std::string path(100, 'p');
  EXPECT_EQ(Wrap("in " + path, ""), "in\n" + path + "\n");
}

TEST(Quantity, People_ReadThem) {
  EXPECT_EQ(Seconds(0.123), "0.12 s");
  EXPECT_EQ(Seconds(41.26), "41.3 s");
  EXPECT_EQ(Seconds(200), "3 min 20 s");
  EXPECT_EQ(Seconds(7500), "2 h 05 min");
  EXPECT_EQ(Bytes(999), "999 B");
  EXPECT_EQ(Bytes(1'900'000'000), "1.9 GB");
  EXPECT_EQ(Bytes(999'600), "1.0 MB");
}

}  // namespace
}  // namespace meanfield::report

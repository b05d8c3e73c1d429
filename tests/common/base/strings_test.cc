#include "common/base/strings.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace meanfield {
namespace {

TEST(Strings, StrCat_TakesEveryKindOfTextAndNumber) {
  const std::string owned = "b";

  EXPECT_EQ(
      StrCat(std::string_view("a"), owned, "c", 1, 2.5, absl::string_view("d")),
      "abc12.5d");
}

TEST(Strings, StrAppend_AddsAtTheEnd) {
  std::string text = "a";

  StrAppend(&text, std::string_view("b"), 3);

  EXPECT_EQ(text, "ab3");
}

TEST(Strings, Views_KeepZeroBytes) {
  const std::string_view text("a\0b", 3);

  EXPECT_EQ(StdView(AbslView(text)), text);
}

}  // namespace
}  // namespace meanfield

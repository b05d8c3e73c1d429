#include "coordinator/corpus/fault_list.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace meanfield::corpus {
namespace {

using ::meanfield::testing::StatusIs;

TEST(FaultList, Empty_IsOk) { EXPECT_OK(FaultList().ToStatus("f")); }

TEST(FaultList, Faults_AreListedInLineOrder) {
  FaultList faults;
  faults.Add(7, "late");
  faults.Add(2, "early");
  EXPECT_THAT(faults.ToStatus("dir/f"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "dir/f:2: early\ndir/f:7: late"));
}

TEST(FaultList, MoreThanKept_KeepsTheFirstLinesAndCountsTheRest) {
  FaultList faults;
  for (uint64_t line = 1000; line > 0; --line) faults.Add(line, "bad");
  EXPECT_EQ(faults.kept().size(), FaultList::kKept);
  EXPECT_EQ(faults.kept()[0].line, 1u);
  EXPECT_THAT(faults.ToStatus("f"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       ::testing::EndsWith("f: and 990 more faults")));
}

TEST(Quoted, ControlCharacters_AreEscapedAndOthersKept) {
  EXPECT_EQ(Quoted(std::string("a\t'\0ü", 6)), "\"a\\t'\\000ü\"");
}

TEST(Quoted, LongText_IsCutBetweenCharacters) {
  const std::string text = std::string(59, 'x') + "ü" + std::string(40, 'y');
  EXPECT_EQ(Quoted(text), "\"" + std::string(59, 'x') + "…\" (101 bytes)");
}

}  // namespace
}  // namespace meanfield::corpus

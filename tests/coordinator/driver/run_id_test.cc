#include "coordinator/driver/run_id.h"

#include "gtest/gtest.h"

namespace meanfield::driver {
namespace {

const absl::Time kTime = absl::FromUnixSeconds(1795962971);

TEST(RunId, PlainName_IsKept) {
  EXPECT_EQ(MakeRunId("sections", kTime, "a1b2"),
            "sections-20261129-143611-a1b2");
}

TEST(RunId, NameThatIsNoFileName_IsMadeOne) {
  EXPECT_EQ(MakeRunId("../a b/ü", kTime, "x"),
            "run..-a-b----20261129-143611-x");
  EXPECT_EQ(MakeRunId("-rf", kTime, "x"), "run-rf-20261129-143611-x");
  EXPECT_EQ(MakeRunId("", kTime, "x"), "run-20261129-143611-x");
}

TEST(RunId, LongName_IsCut) {
  EXPECT_EQ(MakeRunId(std::string(300, 'n'), kTime, "x").size(), 64 + 18);
}

}  // namespace
}  // namespace meanfield::driver

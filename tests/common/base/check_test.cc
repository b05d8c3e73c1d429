#include "common/base/check.h"

#include "gtest/gtest.h"

namespace meanfield {
namespace {

TEST(CheckDeathTest, False_AbortsWithConditionAndMessage) {
  EXPECT_DEATH(MEANFIELD_CHECK(1 > 2, "of two numbers"),
               "check_test.cc:[0-9]+: check failed: 1 > 2: of two numbers");
}

TEST(Check, True_EvaluatesConditionOnceAndMessageNever) {
  int conditions = 0;
  int messages = 0;

  MEANFIELD_CHECK(++conditions > 0, (++messages, "unused"));

  EXPECT_EQ(conditions, 1);
  EXPECT_EQ(messages, 0);
}

}  // namespace
}  // namespace meanfield

// The README's first command, from installing to the report. Needs the network
// and, the first time, a quarter of an hour.
#include <cstdlib>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/process.h"

namespace meanfield::testing {
namespace {

TEST(QuickstartTest, TrainsOnRealText_ToTheFloorOfItsAccuracy) {
  const ProcessResult result =
      RunProcess({std::string(MEANFIELD_SOURCE_DIR) + "/deploy/quickstart.sh"});

  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  const std::string key = "test accuracy ";
  const size_t at = result.out.find(key);
  ASSERT_NE(at, std::string::npos) << result.out;
  EXPECT_GE(std::atof(result.out.c_str() + at + key.size()), 0.75);
}

}  // namespace
}  // namespace meanfield::testing

#include <csignal>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace meanfield {
namespace {

using ::meanfield::testing::Process;
using ::meanfield::testing::ProcessResult;
using ::meanfield::testing::Program;
using ::meanfield::testing::TemporaryFolder;
using ::testing::HasSubstr;

class CoordinatorProgram : public ::testing::Test {
 protected:
  std::vector<std::string> Command(std::vector<std::string> more = {}) {
    std::vector<std::string> command = {Program("meanfield-coordinator"),
                                        "--listen", "127.0.0.1:0", "--state",
                                        folder_.File("state")};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }
  const TemporaryFolder folder_;
};

TEST_F(CoordinatorProgram, SaysWhereItListensAndStopsOnSigterm) {
  Process coordinator(Command(), {.folder = folder_.path()});
  ASSERT_TRUE(coordinator.WaitForOutput("listening on 127.0.0.1:"));

  coordinator.Signal(SIGTERM);

  EXPECT_EQ(coordinator.Wait().exit_code, 0);
}

TEST_F(CoordinatorProgram, SecondOneOnTheSameState_Fails) {
  Process first(Command(), {.folder = folder_.path()});
  ASSERT_TRUE(first.WaitForOutput("listening on"));

  const ProcessResult second =
      testing::RunProcess(Command(), {.folder = folder_.path()});

  EXPECT_NE(second.exit_code, 0);
  EXPECT_THAT(second.err, HasSubstr(folder_.File("state")));
}

TEST_F(CoordinatorProgram, BeyondLoopback_IsBadUsage) {
  const ProcessResult result =
      testing::RunProcess({Program("meanfield-coordinator"), "--listen",
                           "0.0.0.0:0", "--state", folder_.File("state")},
                          {.folder = folder_.path()});

  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--insecure"));
}

TEST_F(CoordinatorProgram, BadFlags_AreBadUsage) {
  EXPECT_EQ(testing::RunProcess({Program("meanfield-coordinator")}).exit_code,
            2);
  EXPECT_EQ(testing::RunProcess(Command({"--nonsense"})).exit_code, 2);
  EXPECT_EQ(
      testing::RunProcess(Command({"--corpus-root", "/no/such"})).exit_code, 2);
  EXPECT_EQ(testing::RunProcess(Command({"--fold-device", "tpu"})).exit_code,
            2);
}

TEST_F(CoordinatorProgram, Help_IsNoFault) {
  const ProcessResult result =
      testing::RunProcess({Program("meanfield-coordinator"), "--help"});

  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("--corpus-root"));
}

}  // namespace
}  // namespace meanfield

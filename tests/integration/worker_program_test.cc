#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>

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

// Nothing listens on the discard port of a test machine.
constexpr const char* kNobody = "127.0.0.1:9";

TEST(WorkerProgram, CoordinatorOutOfReach_ExitsWith3) {
  const ProcessResult result =
      testing::RunProcess({Program("meanfield-worker"), "--coordinator",
                           kNobody, "--give-up-after", "300ms"});

  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("127.0.0.1:9 was out of reach"));
}

TEST(WorkerProgram, Sigterm_StopsItAndLeavesNothing) {
  const TemporaryFolder folder;
  Process worker({Program("meanfield-worker"), "--coordinator", kNobody,
                  "--work-folder", folder.File("work")});
  ASSERT_TRUE(worker.WaitForOutput("work_folder"));

  worker.Signal(SIGTERM);

  EXPECT_EQ(worker.Wait().exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder.File("work")));
}

TEST(WorkerProgram, AnotherParentThanTold_ExitsWith3) {
  const ProcessResult result =
      testing::RunProcess({Program("meanfield-worker"), "--coordinator",
                           kNobody, "--parent-pid", "1"});

  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("process 1"));
}

TEST(WorkerProgram, BadFlags_AreBadUsage) {
  const std::string worker = Program("meanfield-worker");
  EXPECT_EQ(testing::RunProcess({worker}).exit_code, 2);
  EXPECT_EQ(testing::RunProcess({worker, "--coordinator", "host"}).exit_code,
            2);
  EXPECT_EQ(testing::RunProcess({worker, "--coordinator", "host:0"}).exit_code,
            2);
  EXPECT_EQ(testing::RunProcess(
                {worker, "--coordinator", kNobody, "--cpu", "--gpu", "0"})
                .exit_code,
            2);
  EXPECT_EQ(testing::RunProcess(
                {worker, "--coordinator", kNobody, "--give-up-after", "soon"})
                .exit_code,
            2);
  EXPECT_EQ(testing::RunProcess(
                {worker, "--coordinator", kNobody, "--give-up-after", "-1s"})
                .exit_code,
            2);
}

TEST(WorkerProgram, GpuThatIsNotThere_IsBadUsage) {
  const ProcessResult result = testing::RunProcess(
      {Program("meanfield-worker"), "--coordinator", kNobody, "--gpu", "4711"});

  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("4711"));
}

TEST(WorkerProgram, HelpAndVersion_AreNoFault) {
  EXPECT_THAT(testing::RunProcess({Program("meanfield-worker"), "--help"}).out,
              HasSubstr("--give-up-after"));
  EXPECT_EQ(
      testing::RunProcess({Program("meanfield-worker"), "--version"}).exit_code,
      0);
}

}  // namespace
}  // namespace meanfield

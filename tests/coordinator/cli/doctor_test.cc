#include "coordinator/cli/doctor.h"

#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string Script(const testing::TemporaryFolder& folder,
                   const std::string& body) {
  const std::string path = folder.Write("the worker", "#!/bin/sh\n" + body);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

TEST(DoctorTest, WorkerThatRuns_IsFineAndShowsItsVersion) {
  const testing::TemporaryFolder folder;
  const auto findings =
      ExamineMachine(Script(folder, "echo worker 1, LibTorch 2.11.0\n"));

  EXPECT_THAT(FindingsText(findings), HasSubstr("LibTorch 2.11.0"));
  EXPECT_EQ(DoctorExitCode(findings), 0);
}

TEST(DoctorTest, WorkerThatCannotStart_IsMissingWithTheReason) {
  const testing::TemporaryFolder folder;
  const auto findings =
      ExamineMachine(Script(folder, "echo no libtorch_cpu.so >&2; exit 127\n"));

  EXPECT_EQ(DoctorExitCode(findings), 1);
  EXPECT_THAT(FindingsText(findings),
              AllOf(HasSubstr("no libtorch_cpu.so"), HasSubstr("bootstrap")));
}

TEST(DoctorTest, NoWorkerProgram_IsMissingAndNamesThePath) {
  const auto findings = ExamineMachine("/nonexistent/meanfield-worker");

  EXPECT_EQ(DoctorExitCode(findings), 1);
  EXPECT_THAT(FindingsJson(findings),
              HasSubstr("/nonexistent/meanfield-worker"));
}

}  // namespace
}  // namespace meanfield::cli

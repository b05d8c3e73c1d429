// Every malformed/NAME.textproto gives exactly the faults in NAME.faults.
#include <filesystem>
#include <set>
#include <string>

#include "absl/strings/str_replace.h"
#include "coordinator/job/job.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::job {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder =
    fs::path(MEANFIELD_SOURCE_DIR) / "tests/coordinator/job/malformed";

std::set<std::string> CaseNames() {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".textproto") {
      names.insert(entry.path().stem().string());
    }
  }
  return names;
}

class MalformedJobTest : public ::testing::TestWithParam<std::string> {};

TEST_P(MalformedJobTest, GivesEveryFaultAtItsPosition) {
  const std::string path = kFolder / (GetParam() + ".textproto");
  ASSERT_OK_AND_ASSIGN(const JobSource source, ReadJobSource(path));

  const JobResult result = LoadJob(source);

  EXPECT_EQ(absl::StrReplaceAll(
                FormatFaults(result.faults),
                {{kFolder.string() + "/", ""}, {kFolder.string(), "FOLDER"}}),
            testing::ReadFile(kFolder / (GetParam() + ".faults")));
}

TEST(MalformedJobs, AreMoreThanTwenty) { EXPECT_GT(CaseNames().size(), 20u); }

INSTANTIATE_TEST_SUITE_P(Files, MalformedJobTest,
                         ::testing::ValuesIn(CaseNames()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace meanfield::job

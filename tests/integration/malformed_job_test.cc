// Every malformed job of tests/coordinator/job, through the program.
#include <filesystem>
#include <string>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "tests/integration/training_fixture.h"

namespace meanfield::testing {
namespace {

namespace fs = std::filesystem;

class MalformedJobTest : public TrainingTest {};

TEST_F(MalformedJobTest, EveryFaultIsPrinted_CodeTwo_NothingLeft) {
  const fs::path cases =
      fs::path(MEANFIELD_SOURCE_DIR) / "tests/coordinator/job/malformed";
  for (const fs::directory_entry& entry : fs::directory_iterator(cases)) {
    if (entry.path().extension() != ".textproto") continue;
    const ProcessResult result =
        RunProcess(TrainCommand(entry.path(), "out", /*workers=*/1));

    const std::string faults = absl::StrReplaceAll(
        ReadFile(fs::path(entry.path()).replace_extension(".faults")),
        {{"FOLDER", cases.string()}});
    EXPECT_EQ(result.exit_code, 2) << entry.path();
    EXPECT_THAT(absl::StrReplaceAll(result.err, {{cases.string() + "/", ""}}),
                ::testing::HasSubstr(faults))
        << entry.path();
    EXPECT_FALSE(fs::exists(Out("out"))) << entry.path();
  }
}

}  // namespace
}  // namespace meanfield::testing

// What deploy/bootstrap.sh refuses before it touches anything.
#include <cstdlib>
#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::testing {
namespace {

using ::testing::HasSubstr;

class BootstrapTest : public ::testing::Test {
 protected:
  // Runs it in a home of its own, with these programs before the system's.
  ProcessResult Bootstrap(const std::vector<std::string>& arguments) {
    std::vector<std::string> command = {std::string(MEANFIELD_SOURCE_DIR) +
                                        "/deploy/bootstrap.sh"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return RunProcess(command,
                      {.environment = {"HOME=" + folder_.File("home"),
                                       "PATH=" + folder_.File("bin") + ":" +
                                           std::getenv("PATH")}});
  }
  void Fake(const std::string& program, const std::string& body) {
    const std::string path =
        folder_.Write("bin/" + program, "#!/bin/sh\n" + body);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }

  TemporaryFolder folder_;
};

TEST_F(BootstrapTest, UnknownArgument_IsBadUsage) {
  const ProcessResult result = Bootstrap({"--nonsense"});

  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("unknown argument: --nonsense"));
}

TEST_F(BootstrapTest, Arm64_IsRefusedWithTheReason) {
  Fake("uname", "case $1 in -m) echo aarch64 ;; *) echo Linux ;; esac\n");

  const ProcessResult result = Bootstrap({});

  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("aarch64"));
  EXPECT_THAT(result.err, HasSubstr("x86_64 only"));
}

TEST_F(BootstrapTest, GpuThatDoesNotFit_StopsWhenAskedFor) {
  Fake("nvidia-smi",
       "case $1 in *driver*) echo 470.1 ;; *) echo 'K80, 3.7' ;; esac\n");

  const ProcessResult result = Bootstrap({"--gpu", "yes"});

  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("driver 470.1"));
}

TEST_F(BootstrapTest, Uninstall_RemovesOnlyItsCache) {
  folder_.Write("home/.cache/meanfield/libtorch-2.11.0/torch/lib/x.so", "x");
  folder_.Write("home/.cache/other/y", "y");

  EXPECT_EQ(Bootstrap({"--uninstall"}).exit_code, 0);

  EXPECT_FALSE(std::filesystem::exists(folder_.File("home/.cache/meanfield")));
  EXPECT_TRUE(std::filesystem::exists(folder_.File("home/.cache/other/y")));
}

}  // namespace
}  // namespace meanfield::testing

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temporary_folder.h"

namespace meanfield {
namespace {

using ::testing::HasSubstr;

struct Verdict {
  int exit_code = -1;
  std::string text;
};

// Runs deploy/gpu_support.sh against a fake nvidia-smi that reports this driver
// and these "name, capability" rows.
Verdict Judge(const std::string& driver, const std::string& gpus) {
  const testing::TemporaryFolder folder;
  const std::string smi = folder.Write(
      "nvidia-smi", "#!/bin/sh\ncase \"$1\" in *driver*) printf '" + driver +
                        "' ;; *) printf '" + gpus + "' ;; esac\n");
  std::filesystem::permissions(smi, std::filesystem::perms::owner_all);
  const std::string command =
      "NVIDIA_SMI=" + smi + " " MEANFIELD_SOURCE_DIR "/deploy/gpu_support.sh";
  Verdict verdict;
  FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 4096> buffer;
  while (fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
    verdict.text += buffer.data();
  }
  verdict.exit_code = WEXITSTATUS(pclose(pipe));
  return verdict;
}

TEST(GpuSupportTest, NewDriverAndKnownGeneration_BuildsForTheGpu) {
  const Verdict verdict =
      Judge("580.65.06\\n", "NVIDIA H100 80GB HBM3, 9.0\\n");

  EXPECT_EQ(verdict.exit_code, 0);
  EXPECT_THAT(verdict.text, HasSubstr("H100 80GB HBM3 (sm_90) fits"));
}

TEST(GpuSupportTest, MinorVersionAboveABuiltOne_Fits) {
  EXPECT_EQ(Judge("590.10\\n", "NVIDIA L4, 8.9\\n").exit_code, 0);
}

TEST(GpuSupportTest, OldDriver_NamesWhatItRunsAndWhatIsNeeded) {
  const Verdict verdict = Judge("535.104.05\\n", "NVIDIA A100, 8.0\\n");

  EXPECT_EQ(verdict.exit_code, 2);
  EXPECT_THAT(verdict.text, HasSubstr("535.104.05 runs CUDA 12.x at most"));
  EXPECT_THAT(verdict.text, HasSubstr("needs driver 580"));
}

TEST(GpuSupportTest, OldGeneration_NamesGpuAndTheGenerationsThatFit) {
  const Verdict verdict = Judge("580.65.06\\n", "Tesla P100, 6.0\\n");

  EXPECT_EQ(verdict.exit_code, 2);
  EXPECT_THAT(verdict.text, HasSubstr("Tesla P100 (sm_60) is not one of"));
  EXPECT_THAT(verdict.text, HasSubstr("sm_75"));
}

TEST(GpuSupportTest, OneFittingGpuOfTwo_BuildsForTheGpuAndNamesTheOther) {
  const Verdict verdict =
      Judge("580.65.06\\n580.65.06\\n", "Tesla P100, 6.0\\nNVIDIA T4, 7.5\\n");

  EXPECT_EQ(verdict.exit_code, 0);
  EXPECT_THAT(verdict.text, HasSubstr("P100 (sm_60) is not"));
  EXPECT_THAT(verdict.text, HasSubstr("T4 (sm_75) fits"));
}

TEST(GpuSupportTest, NoDriver_SaysCpu) {
  const Verdict verdict = Judge("", "");

  EXPECT_EQ(verdict.exit_code, 1);
  EXPECT_THAT(verdict.text, HasSubstr("no NVIDIA driver"));
}

}  // namespace
}  // namespace meanfield

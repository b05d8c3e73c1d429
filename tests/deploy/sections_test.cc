// The quickstart's data step: deploy/quickstart/.
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temporary_folder.h"

namespace meanfield {
namespace {

using ::testing::HasSubstr;

constexpr char kQuickstart[] = MEANFIELD_SOURCE_DIR "/deploy/quickstart/";

struct Result {
  int exit_code = -1;
  std::string text;  // stdout and stderr
};

Result RunShell(const std::string& command) {
  Result result;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> buffer;
  while (fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
    result.text += buffer.data();
  }
  result.exit_code = WEXITSTATUS(pclose(pipe));
  return result;
}

class DebianSectionsTest : public ::testing::Test {
 protected:
  Result Convert(const std::string& packages, const std::string& translations) {
    return RunShell(
        "python3 " + std::string(kQuickstart) + "debian_sections.py " +
        folder_.Write("packages", packages) + " " +
        folder_.Write("translations", translations) + " " + folder_.path());
  }

  // Two packages from each of so many source packages.
  static std::string ManyPackages(int sources) {
    std::ostringstream text;
    for (int i = 0; i < sources; ++i) {
      for (const char* part : {"lib", "doc"}) {
        text << "Package: " << part << i << "\nSource: source" << i
             << " (1.0)\nSection: non-free/" << part
             << "\nDescription: " << part << " number" << i << "\n\n";
      }
    }
    return text.str();
  }

  // The words of each line, by the split they are in.
  std::map<std::string, std::string> Lines() {
    std::map<std::string, std::string> split_of;
    for (const std::string split : {"train", "test"}) {
      std::istringstream in(
          testing::ReadFile(folder_.File("section." + split + ".txt")));
      for (std::string line; std::getline(in, line);) split_of[line] = split;
    }
    return split_of;
  }

  const testing::TemporaryFolder folder_;
};

TEST_F(DebianSectionsTest, PackagesOfOneSource_AreOnOneSide) {
  const Result result = Convert(ManyPackages(7000), "");

  ASSERT_EQ(result.exit_code, 0) << result.text;
  const auto split_of = Lines();
  EXPECT_EQ(split_of.size(), 14000u);
  int in_test = 0;
  for (int i = 0; i < 7000; ++i) {
    const std::string n = std::to_string(i);
    const std::string split = split_of.at("__label__lib lib number" + n);
    EXPECT_EQ(split, split_of.at("__label__doc doc number" + n));
    in_test += split == "test" ? 1 : 0;
  }
  EXPECT_NEAR(in_test, 700, 100);
}

TEST_F(DebianSectionsTest, LongDescriptions_AreLoweredCutAndKeptOnce) {
  std::string packages = ManyPackages(7000);
  for (const char* name : {"one", "two"}) {
    packages += "Package: " + std::string(name) +
                "\nSection: net\nDescription: short\nDescription-md5: abc\n\n";
  }
  std::string translations =
      "Package: one\nDescription-md5: abc\nDescription-en: A Mail-Server\n"
      " Fast.\n .\n";
  for (int i = 0; i < 80; ++i)
    translations += " Word" + std::to_string(i) + "\n";

  const Result result = Convert(packages, translations);

  ASSERT_EQ(result.exit_code, 0) << result.text;
  std::string expected = "__label__net a mail - server fast .";
  for (int i = 0; i < 54; ++i) expected += " word" + std::to_string(i);
  const auto split_of = Lines();
  EXPECT_TRUE(split_of.contains(expected));
  EXPECT_EQ(split_of.size(), 14001u);
}

TEST_F(DebianSectionsTest, FewPackages_AreRefused) {
  const Result result = Convert(ManyPackages(3), "");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.text,
              HasSubstr("expected those of Debian's main archive"));
}

TEST(FetchSectionsTest, CompleteData_IsUsedAgain) {
  const testing::TemporaryFolder folder;
  folder.Write("section.train.txt", "__label__a x\n__label__b y\n");
  folder.Write("section.test.txt", "__label__a z\n");
  RunShell("cd " + folder.path() + " && sha256sum section.*.txt > SHA256SUMS");

  const Result result =
      RunShell(std::string(kQuickstart) + "fetch_sections.sh " + folder.path());

  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.text,
              HasSubstr("2 training and 1 test texts, 2 sections"));
}

TEST(FetchSectionsTest, DamagedDataAndNoApt_SaysWhatToDo) {
  const testing::TemporaryFolder folder;
  const std::string data = folder.path() + "/data";
  folder.Write("data/SHA256SUMS", "0000  section.train.txt\n");
  std::filesystem::create_directory(folder.File("bin"));
  for (const std::string tool :
       {"bash", "dirname", "mkdir", "flock", "rm", "sha256sum", "env", "cat"}) {
    std::filesystem::create_symlink("/usr/bin/" + tool,
                                    folder.File("bin/" + tool));
  }

  const Result result = RunShell("PATH=" + folder.File("bin") + " " +
                                 kQuickstart + "fetch_sections.sh " + data);

  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.text, HasSubstr("this system has no apt-get"));
}

TEST(FetchSectionsTest, NoFolder_ShowsUsage) {
  EXPECT_EQ(RunShell(std::string(kQuickstart) + "fetch_sections.sh").exit_code,
            2);
}

}  // namespace
}  // namespace meanfield

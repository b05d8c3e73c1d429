#include "common/base/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace meanfield {
namespace {

using ::meanfield::testing::ReadFile;
using ::meanfield::testing::StatusIs;
using ::meanfield::testing::TemporaryFolder;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class LogTest : public ::testing::Test {
 protected:
  void ToFile(LogLevel minimum = LogLevel::kInfo) {
    ASSERT_OK(ConfigureLog({.minimum = minimum,
                            .file = path_,
                            .to_stderr = false,
                            .program = "meanfield"}));
  }
  void TearDown() override { ASSERT_OK(ConfigureLog({})); }
  std::string Lines() const { return ReadFile(path_); }

  TemporaryFolder folder_;
  const std::string path_ = folder_.File("log.txt");
};

TEST_F(LogTest, Line_HasTimeLevelProgramEventAndFields) {
  ToFile();

  Log(LogLevel::kInfo, "round committed", {{"round", 3}, {"task", "ner"}});

  EXPECT_THAT(
      Lines(),
      MatchesRegex("20[0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:"
                   "[0-6][0-9]\\.[0-9][0-9][0-9]Z INFO meanfield round "
                   "committed round=3 task=ner\n"));
}

TEST_F(LogTest, TimeZone_IsAlwaysUtc) {
  const auto hour = [this] {
    Log(LogLevel::kInfo, "x");
    return Lines().substr(Lines().rfind('T') + 1, 2);
  };
  ToFile();
  const std::string here = hour();

  setenv("TZ", "XXX-11", /*overwrite=*/1);
  tzset();
  const std::string there = hour();
  unsetenv("TZ");
  tzset();

  EXPECT_THAT(there, ::testing::AnyOf(here, hour()));
}

TEST_F(LogTest, Values_ThatAreNotPlainAreQuoted) {
  ToFile();

  Log(LogLevel::kWarning, "odd",
      {{"blank", "a b"},
       {"empty", ""},
       {"quote", "a\"b"},
       {"line", "a\nb"},
       {"word", "Zürich"},
       {"share", 0.5}});

  EXPECT_THAT(Lines(), EndsWith("WARNING meanfield odd blank=\"a b\" "
                                "empty=\"\" quote=\"a\\\"b\" line=\"a\\nb\" "
                                "word=Zürich share=0.5\n"));
}

TEST_F(LogTest, Event_WithNewlineStaysOneLine) {
  ToFile();

  Log(LogLevel::kError, "peer said: a\n2026-11-30T14:00:00.123Z INFO fake");

  EXPECT_THAT(Lines(), HasSubstr("ERROR meanfield peer said: a\\n2026"));
}

TEST_F(LogTest, Braces_ArePrintedAsTheyAre) {
  ToFile();

  Log(LogLevel::kInfo, "a {} b", {{"key", "{0}%v"}});

  EXPECT_THAT(Lines(), EndsWith("a {} b key={0}%v\n"));
}

TEST_F(LogTest, BelowMinimum_IsLeftOut) {
  ToFile(LogLevel::kWarning);

  Log(LogLevel::kDebug, "one");
  Log(LogLevel::kInfo, "two");
  Log(LogLevel::kWarning, "three");

  EXPECT_THAT(Lines(), EndsWith("Z WARNING meanfield three\n"));
  EXPECT_THAT(Lines(), ::testing::Not(HasSubstr("two")));
}

TEST_F(LogTest, ExistingFile_IsAppendedTo) {
  folder_.Write("log.txt", "before\n");
  ToFile();

  Log(LogLevel::kInfo, "after");

  EXPECT_THAT(Lines(), MatchesRegex("before\n.* INFO meanfield after\n"));
}

TEST_F(LogTest, Unconfigured_GoesToStderrWithoutProgram) {
  ::testing::internal::CaptureStderr();

  Log(LogLevel::kInfo, "started");

  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              MatchesRegex("20.*Z INFO started\n"));
}

TEST_F(LogTest, FileThatCannotBeOpened_IsAnErrorThatNamesIt) {
  EXPECT_THAT(ConfigureLog({.file = folder_.File("no/such/log.txt")}),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr(folder_.File("no/such/log.txt"))));
}

TEST_F(LogTest, Threads_WriteWholeLines) {
  ToFile();

  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 100; ++i)
        Log(LogLevel::kInfo, "e", {{"id", t * 100 + i}});
    });
  }
  for (std::thread& thread : threads) thread.join();

  std::set<std::string> ids;
  for (const absl::string_view line : absl::StrSplit(Lines(), '\n')) {
    ids.emplace(line.substr(line.rfind('=') + 1));
  }
  EXPECT_EQ(ids.size(), 401);  // and the end of the last line
}

TEST_F(LogTest, FullDisk_LosesLinesOnly) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
  ::testing::internal::CaptureStderr();
  ASSERT_OK(ConfigureLog({.file = "/dev/full", .to_stderr = false}));

  for (int i = 0; i < 3; ++i) Log(LogLevel::kInfo, "lost");

  EXPECT_THAT(
      ::testing::internal::GetCapturedStderr(),
      MatchesRegex("log lines are being lost: [^\n]*/dev/full[^\n]*\n"));
}

TEST(LogDeathTest, ClosedStderr_DoesNotEndTheProcess) {
  EXPECT_EXIT(
      {
        close(STDERR_FILENO);
        Log(LogLevel::kInfo, "into nothing");
        _exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(LogDeathTest, StderrIsPipeWithoutReader_DoesNotEndTheProcess) {
  EXPECT_EXIT(
      {
        int ends[2];
        if (pipe(ends) != 0) _exit(2);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        for (int i = 0; i < 3; ++i) Log(LogLevel::kInfo, "into nothing");
        _exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace meanfield

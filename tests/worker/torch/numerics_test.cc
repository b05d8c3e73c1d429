#include "worker/torch/numerics.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace meanfield {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

// What env prints when PinNumerics executes it in a child without pins.
std::string EnvironmentAfterPinning() {
  std::array<int, 2> ends;
  if (pipe(ends.data()) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    unsetenv("ATEN_CPU_CAPABILITY");
    std::string name = "env";
    std::array<char*, 2> argv = {name.data(), nullptr};
    PinNumerics(argv.data(), "/usr/bin/env").IgnoreError();
    _exit(1);  // executing returns only when it fails
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer;
  for (ssize_t size;
       (size = read(ends[0], buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<size_t>(size));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return text;
}

TEST(Numerics, UnpinnedProcess_IsExecutedAgainWithPins) {
  const std::string environment = EnvironmentAfterPinning();

  for (const auto& [name, value] : PinnedEnvironment()) {
    EXPECT_THAT(environment, HasSubstr(name + "=" + value + "\n"));
  }
}

TEST(Numerics, PinnedProcess_GoesOn) {
  for (const auto& [name, value] : PinnedEnvironment()) {
    setenv(name.c_str(), value.c_str(), /*overwrite=*/1);
  }

  EXPECT_TRUE(NumericsArePinned());
  // Would fail if it executed anything.
  EXPECT_OK(PinNumerics(nullptr, "/nonexistent"));
}

TEST(Numerics, ProgramThatCannotBeExecuted_IsAnError) {
  setenv("OMP_NUM_THREADS", "2", /*overwrite=*/1);
  std::array<char*, 1> argv = {nullptr};

  EXPECT_THAT(PinNumerics(argv.data(), "/nonexistent"),
              testing::StatusIs(absl::StatusCode::kNotFound,
                                HasSubstr("/nonexistent")));
}

TEST(Numerics, Instructions_AreOfTheTwoClasses) {
  EXPECT_THAT(PinnedInstructions(), AnyOf("avx2", "baseline"));
}

}  // namespace
}  // namespace meanfield

// Runs the commands of README.md, in order, as they stand there.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::testing {
namespace {

// The ```sh blocks but those of the two scripts that install and build: the
// quickstart and the test command run by themselves in CI.
std::string CommandsOf(const std::string& readme) {
  std::stringstream lines(readme);
  std::string commands;
  std::string block;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "```sh") {
      inside = true;
      block.clear();
    } else if (inside && line == "```") {
      inside = false;
      const bool installs =
          block.find("deploy/quickstart.sh") != std::string::npos ||
          block.find("tests/run.sh") != std::string::npos ||
          block.find("deploy/bootstrap.sh") != std::string::npos;
      if (!installs) commands += block;
    } else if (inside) {
      block += line + "\n";
    }
  }
  return commands;
}

// One that nobody listens on now; the commands name a fixed one.
int FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  bind(fd, reinterpret_cast<sockaddr*>(&address), size);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  close(fd);
  return ntohs(address.sin_port);
}

TEST(ReadmeTest, EveryCommand_RunsAsWritten) {
  const std::string source = MEANFIELD_SOURCE_DIR;
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() + "/deploy");
  std::filesystem::copy(source + "/deploy/examples",
                        folder.path() + "/deploy/examples",
                        std::filesystem::copy_options::recursive);
  const std::string commands = CommandsOf(ReadFile(source + "/README.md"));
  ASSERT_THAT(commands, ::testing::HasSubstr("meanfield train"));
  ASSERT_THAT(commands, ::testing::HasSubstr("meanfield submit"));

  const std::string here =
      absl::StrReplaceAll(commands, {{":7070", absl::StrCat(":", FreePort())}});
  const std::string path = std::string("PATH=") + MEANFIELD_BINARY_DIR +
                           "/bin:" + std::getenv("PATH");
  const ProcessResult result =
      RunProcess({"bash", "-euo", "pipefail", "-c",
                  "trap 'kill $(jobs -p) 2>/dev/null' EXIT\n" + here},
                 {.folder = folder.path(), .environment = {path}});

  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

}  // namespace
}  // namespace meanfield::testing

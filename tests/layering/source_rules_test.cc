#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/layering/source_tree.h"

namespace meanfield::layering {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr size_t kLongestFile = 500;  // lines
const std::filesystem::path kRoot = MEANFIELD_SOURCE_DIR;

// ---- time and randomness

// Pairs of file and token.
using Exceptions = std::set<std::pair<std::string, std::string>>;

Exceptions ReadExceptions() {
  Exceptions exceptions;
  for (const std::string& line :
       ReadLines(kRoot / "tests/layering/exceptions.txt")) {
    std::istringstream words(line);
    std::string file, token, reason;
    words >> file >> token >> reason;
    if (file.empty() || file.starts_with('#')) continue;
    EXPECT_NE(reason, "") << line << ": give a reason";
    exceptions.insert({file, token});
  }
  return exceptions;
}

// Uses of other clocks, sleeps and random sources as file:line: token. What
// `exceptions` allows is taken from it.
std::vector<std::string> ForeignTimeAndRandomness(const SourceTree& tree,
                                                  Exceptions& exceptions) {
  const std::regex token(
      R"(absl::Now|SleepFor|sleep_for|sleep_until|_clock::now|clock_gettime|)"
      R"(gettimeofday|nanosleep|usleep|\bsleep(?=\()|\brand(?=\()|\bsrand\b|)"
      R"(\btime(?=\((nullptr|NULL|0)\))|random_device|mt19937|getrandom|)"
      R"(getentropy|/dev/u?random)");
  std::vector<std::string> faults;
  Exceptions used;
  for (const auto& [file, lines] : tree) {
    if (RoomOf(file) == "common/time") continue;
    for (size_t i = 0; i < lines.size(); ++i) {
      const std::string code = lines[i].substr(0, lines[i].find("//"));
      std::smatch match;
      if (!std::regex_search(code, match, token)) continue;
      if (exceptions.contains({file, match.str()})) {
        used.insert({file, match.str()});
      } else {
        faults.push_back(file + ":" + std::to_string(i + 1) + ": " +
                         match.str());
      }
    }
  }
  for (const auto& entry : used) exceptions.erase(entry);
  return faults;
}

TEST(SourceRules, TimeComesFromClock_RandomnessFromSeeds) {
  Exceptions exceptions = ReadExceptions();

  EXPECT_THAT(ForeignTimeAndRandomness(ReadSources(kRoot), exceptions),
              IsEmpty());
  EXPECT_THAT(exceptions, IsEmpty()) << "exceptions.txt: not needed any more";
}

TEST(SourceRules, ForeignClock_IsFound) {
  const SourceTree tree = {
      {"common/time/real_clock.cc", {"std::chrono::steady_clock::now();"}},
      {"worker/x/a.cc",
       {"// absl::Now() is forbidden", "auto t = absl::Now();",
        "operand(1); uptime(0);", "std::mt19937 rng;"}}};
  Exceptions exceptions = {{"worker/x/a.cc", "mt19937"},
                           {"worker/x/b.cc", "mt19937"}};

  EXPECT_THAT(ForeignTimeAndRandomness(tree, exceptions),
              ElementsAre("worker/x/a.cc:2: absl::Now"));
  EXPECT_THAT(exceptions, ElementsAre(std::pair("worker/x/b.cc", "mt19937")));
}

// ---- size

TEST(SourceRules, FilesAreShort) {
  for (const auto& [file, lines] : ReadTree(
           kRoot,
           {"common", "coordinator", "worker", "proto", "tests", "deploy"},
           {".h", ".cc", ".cu", ".cuh", ".proto", ".sh", ".cmake", ".txt"})) {
    EXPECT_LE(lines.size(), kLongestFile) << file << ": divide it";
  }
}

// ---- registration

TEST(SourceRules, EveryTestIsBuilt) {
  std::set<std::string> words;
  for (const auto& [file, lines] :
       ReadTree(kRoot, {"tests"}, {"CMakeLists.txt"})) {
    for (const std::string& line : lines) {
      std::string code = line.substr(0, line.find('#'));
      for (char& c : code) {
        if (c == '(' || c == ')') c = ' ';
      }
      std::istringstream in(code);
      for (std::string word; in >> word;) words.insert(word);
    }
  }
  for (const auto& [file, lines] : ReadTree(kRoot, {"tests"}, {"_test.cc"})) {
    const std::string folder = file.substr(6, file.rfind('/') - 6);
    EXPECT_TRUE(words.contains(folder))
        << file << ": no meanfield_tests(" << folder << ") builds it";
  }
}

}  // namespace
}  // namespace meanfield::layering

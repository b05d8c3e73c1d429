#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/layering/cycles.h"
#include "tests/layering/include_table.h"
#include "tests/layering/source_tree.h"

namespace meanfield::layering {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::filesystem::path kRoot = MEANFIELD_SOURCE_DIR;

IncludeTable RepositoryTable() {
  return IncludeTable(ReadLines(kRoot / "tests/layering/rooms.txt"));
}

TEST(Layering, IncludesFollowTheTable) {
  EXPECT_THAT(ForbiddenIncludes(ReadSources(kRoot), RepositoryTable()),
              IsEmpty());
}

TEST(Layering, TableHasNoStrangers) {
  EXPECT_THAT(RepositoryTable().Strangers(ReadSources(kRoot)), IsEmpty());
}

TEST(Layering, TorchMeetsNoProtobufOrFmt) {
  EXPECT_THAT(TorchClashes(ReadSources(kRoot)), IsEmpty());
}

TEST(Layering, RoomsHaveNoCycle) {
  Graph rooms;
  for (const auto& [file, lines] : ReadSources(kRoot)) {
    for (const Include& include : IncludesOf(lines)) {
      const std::string item = ItemOf(include.path);
      if (item != RoomOf(file)) rooms[RoomOf(file)].insert(item);
    }
  }
  EXPECT_EQ(CycleSearch(rooms).cycle(), "");
}

TEST(Layering, ProtoFilesHaveNoCycle) {
  const std::regex import(R"(^import\s+(public\s+)?"([^"]+)\")");
  Graph files;
  std::smatch match;
  for (const auto& [file, lines] : ReadTree(kRoot, {"proto"}, {".proto"})) {
    for (const std::string& line : lines) {
      if (std::regex_search(line, match, import)) files[file].insert(match[2]);
    }
  }
  EXPECT_FALSE(files.empty());
  EXPECT_EQ(CycleSearch(files).cycle(), "");
}

// ---- the rules themselves, on trees made up for the purpose

TEST(IncludeTable, NamesFileLineAndWhatIsAllowed) {
  const IncludeTable table({"# comment", "common/base: absl spdlog"});
  const SourceTree tree = {
      {"common/base/a.h",
       {"", "#include \"absl/time/time.h\"", "#include \"torch/torch.h\""}}};

  EXPECT_THAT(ForbiddenIncludes(tree, table),
              ElementsAre("common/base/a.h:3: includes \"torch/torch.h\"; "
                          "common/base may include: absl spdlog"));
}

TEST(IncludeTable, RoomThatIsNotListed_Fails) {
  EXPECT_THAT(
      ForbiddenIncludes({{"common/new/a.h", {}}}, IncludeTable({})),
      ElementsAre("common/new/a.h: the room common/new is not in rooms.txt"));
}

TEST(IncludeTable, AllowsWhatALineSays) {
  const IncludeTable table(
      {"coordinator/cli: common/* proto/* coordinator/driver/coordinator.h",
       "coordinator/cli/x_main.cc: cli11"});
  const auto allows = [&](const std::string& include,
                          const std::string& file = "coordinator/cli/x.cc") {
    return table.Allows(file, include);
  };
  EXPECT_TRUE(allows("vector"));
  EXPECT_TRUE(allows("sys/stat.h"));
  EXPECT_TRUE(allows("coordinator/cli/y.h"));
  EXPECT_TRUE(allows("common/blob/hash.h"));
  EXPECT_TRUE(allows("proto/job.pb.h"));
  EXPECT_TRUE(allows("coordinator/driver/coordinator.h"));
  EXPECT_TRUE(allows("CLI/CLI.hpp", "coordinator/cli/x_main.cc"));

  EXPECT_FALSE(allows("CLI/CLI.hpp"));
  EXPECT_FALSE(allows("common/rpc/channel.h"));
  EXPECT_FALSE(allows("common/kernels/fold.h"));
  EXPECT_FALSE(allows("coordinator/driver/runs.h"));
  EXPECT_FALSE(allows("proto/coordinator.grpc.pb.h"));
  EXPECT_FALSE(allows("boost/any.hpp"));
}

TEST(TorchClashes, AreFoundThroughHeaders) {
  const SourceTree tree = {
      {"worker/torch/a.cc",
       {"#include <torch/torch.h>", "#include \"worker/torch/b.h\""}},
      {"worker/torch/b.h", {"#include \"common/base/log.h\""}},
      {"common/base/log.h", {"#include <spdlog/spdlog.h>"}}};

  EXPECT_THAT(TorchClashes(tree),
              ElementsAre("worker/torch/a.cc: includes torch and spdlog"));
}

TEST(CycleSearch, NamesTheCycle) {
  EXPECT_EQ(CycleSearch({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}).cycle(),
            "b -> c -> b");
  EXPECT_EQ(CycleSearch({{"a", {"b", "c"}}, {"b", {"c"}}}).cycle(), "");
}

}  // namespace
}  // namespace meanfield::layering

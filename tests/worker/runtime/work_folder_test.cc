#include "worker/runtime/work_folder.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace meanfield {
namespace {

namespace fs = std::filesystem;
using ::meanfield::testing::TemporaryFolder;

TEST(WorkFolder, IsRemovedWithWhatItHolds) {
  const TemporaryFolder above;
  std::string path;
  {
    ASSERT_OK_AND_ASSIGN(const WorkFolder folder,
                         WorkFolder::Create(above.File("new/work")));
    path = folder.File("");
    fs::create_directories(folder.File("blobs/deep"));
    EXPECT_TRUE(fs::exists(path));
  }

  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(fs::exists(above.File("new/work")));  // somebody else's
}

TEST(WorkFolder, FoldersBesideEachOther_AreLeftAlone) {
  const TemporaryFolder above;
  ASSERT_OK_AND_ASSIGN(const WorkFolder first,
                       WorkFolder::Create(above.path()));
  ASSERT_OK_AND_ASSIGN(const WorkFolder second,
                       WorkFolder::Create(above.path()));

  EXPECT_TRUE(fs::exists(first.File("")));
  EXPECT_NE(first.File(""), second.File(""));
}

TEST(WorkFolder, FolderOfAKilledWorker_IsRemovedByTheNext) {
  const TemporaryFolder above;
  // A lock file that no process has locked.
  above.Write("meanfield-worker-killed/lock", "");
  above.Write("meanfield-worker-killed/blobs/data", "x");

  ASSERT_OK_AND_ASSIGN(const WorkFolder folder,
                       WorkFolder::Create(above.path()));

  EXPECT_FALSE(fs::exists(above.File("meanfield-worker-killed")));
}

TEST(WorkFolder, OtherFolders_AreLeftAlone) {
  const TemporaryFolder above;
  above.Write("meanfield-worker-starting/note", "no lock yet");
  above.Write("precious/lock", "");

  ASSERT_OK_AND_ASSIGN(const WorkFolder folder,
                       WorkFolder::Create(above.path()));

  EXPECT_TRUE(fs::exists(above.File("meanfield-worker-starting/note")));
  EXPECT_TRUE(fs::exists(above.File("precious/lock")));
}

}  // namespace
}  // namespace meanfield

#include "common/blob/blob_store.h"

#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "common/blob/hash.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace meanfield {
namespace {

namespace fs = std::filesystem;
using ::meanfield::testing::ReadFile;
using ::meanfield::testing::StatusIs;
using ::meanfield::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class BlobStoreTest : public ::testing::TestWithParam<Durability> {
 protected:
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(store_.folder())) {
      names.push_back(entry.path().filename());
    }
    return names;
  }
  std::string PathOf(const Blob& blob) const {
    return store_.folder() + "/" + blob.id;
  }

  TemporaryFolder folder_;
  BlobStore store_ = *BlobStore::Open(folder_.File("deep/objects"));
};

TEST_P(BlobStoreTest, Put_MakesAFileNamedByItsHash) {
  ASSERT_OK_AND_ASSIGN(const Blob blob, store_.Put("hello", GetParam()));

  EXPECT_EQ(blob.size, 5);
  EXPECT_TRUE(IsBlobId(blob.id));
  EXPECT_THAT(Names(), ElementsAre(blob.id));
  EXPECT_EQ(ReadFile(PathOf(blob)), "hello");
}

TEST_P(BlobStoreTest, Blob_IsReadOnly) {
  ASSERT_OK_AND_ASSIGN(const Blob blob, store_.Put("bytes", GetParam()));

  EXPECT_EQ(fs::status(PathOf(blob)).permissions() &
                (fs::perms::owner_write | fs::perms::group_write),
            fs::perms::none);
}

TEST_P(BlobStoreTest, PutTwice_IsOneBlob) {
  ASSERT_OK_AND_ASSIGN(const Blob first, store_.Put("hello", GetParam()));
  ASSERT_OK_AND_ASSIGN(const Blob second, store_.Put("hello", GetParam()));

  EXPECT_EQ(first, second);
  EXPECT_THAT(Names(), ElementsAre(first.id));
}

TEST_P(BlobStoreTest, PutEmpty_IsABlob) {
  ASSERT_OK_AND_ASSIGN(const Blob blob, store_.Put("", GetParam()));

  ASSERT_OK_AND_ASSIGN(const std::string bytes, store_.Read(blob));
  EXPECT_EQ(bytes, "");
}

TEST_P(BlobStoreTest, PutOverRottenBlob_HealsIt) {
  ASSERT_OK_AND_ASSIGN(const Blob blob, store_.Put("hello", GetParam()));
  folder_.Write("deep/objects/" + blob.id, "hellX");

  ASSERT_OK(store_.Put("hello", GetParam()));

  EXPECT_OK(store_.Read(blob));
}

TEST_P(BlobStoreTest, Adopt_MovesTheFile) {
  const std::string path = folder_.Write("update", "tensor");

  ASSERT_OK_AND_ASSIGN(const Blob blob, store_.Adopt(path, GetParam()));

  EXPECT_FALSE(fs::exists(path));
  ASSERT_OK_AND_ASSIGN(const std::string bytes, store_.Read(blob));
  EXPECT_EQ(bytes, "tensor");
}

TEST_P(BlobStoreTest, AdoptAs_TakesOnlyTheExpectedBytes) {
  ASSERT_OK_AND_ASSIGN(const Blob blob, store_.Put("tensor", GetParam()));
  ASSERT_OK(store_.Remove(blob));
  const auto adopt = [&](std::string_view bytes) {
    return store_.AdoptAs(blob, folder_.Write("update", bytes), GetParam());
  };

  EXPECT_THAT(adopt("tensoR"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("hash to")));
  EXPECT_THAT(adopt("tens"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("has 4 bytes")));
  EXPECT_TRUE(fs::exists(folder_.File("update")));
  EXPECT_THAT(Names(), IsEmpty());
  EXPECT_OK(adopt("tensor"));
  EXPECT_TRUE(store_.Contains(blob));
}

INSTANTIATE_TEST_SUITE_P(Both, BlobStoreTest,
                         ::testing::Values(Durability::kCached,
                                           Durability::kDurable),
                         [](const auto& info) {
                           return info.param == Durability::kCached ? "Cached"
                                                                    : "Durable";
                         });

using BlobStoreFaultTest = BlobStoreTest;
INSTANTIATE_TEST_SUITE_P(One, BlobStoreFaultTest,
                         ::testing::Values(Durability::kCached),
                         [](const auto&) { return "Cached"; });

TEST_P(BlobStoreFaultTest, Adopt_LinkFolderOrMissing_IsRefused) {
  const std::string target = folder_.Write("secret", "x");
  fs::create_symlink(target, folder_.File("link"));

  EXPECT_THAT(store_.Adopt(folder_.File("link"), GetParam()),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("not a regular file")));
  EXPECT_THAT(store_.Adopt(folder_.path(), GetParam()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("")));
  EXPECT_THAT(store_.Adopt(folder_.File("no"), GetParam()),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/no")));
}

TEST_P(BlobStoreFaultTest, Path_NamesTheBlobThatIsNotThere) {
  const Blob absent{BlobIdOf({}), 0};

  EXPECT_FALSE(store_.Contains(absent));
  EXPECT_THAT(store_.Path(absent),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr(absent.id)));
  EXPECT_THAT(store_.Read(absent),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr(absent.id)));
  EXPECT_THAT(store_.Remove(absent),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr(absent.id)));
}

TEST_P(BlobStoreFaultTest, NamesThatAreNotHashes_NeverReachTheDisk) {
  folder_.Write("deep/secret", "x");
  const Blob traversal{"../secret", 1};

  EXPECT_FALSE(store_.Contains(traversal));
  for (const absl::Status& status :
       {store_.Path(traversal).status(), store_.Read(traversal).status(),
        store_.Remove(traversal)}) {
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument,
                                 HasSubstr("not a blob's name")));
  }
  EXPECT_TRUE(fs::exists(folder_.File("deep/secret")));
}

TEST_P(BlobStoreFaultTest, CutOffBlob_IsDataLoss) {
  ASSERT_OK_AND_ASSIGN(const Blob blob, store_.Put("hello", GetParam()));
  fs::resize_file(PathOf(blob), 3);

  EXPECT_FALSE(store_.Contains(blob));
  EXPECT_THAT(store_.Path(blob),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("has 3 bytes")));
}

TEST_P(BlobStoreFaultTest, RottenBlob_IsDataLossWhenRead) {
  ASSERT_OK_AND_ASSIGN(const Blob blob, store_.Put("hello", GetParam()));
  folder_.Write("deep/objects/" + blob.id, "hellX");

  EXPECT_OK(store_.Path(blob));
  EXPECT_THAT(store_.Read(blob), StatusIs(absl::StatusCode::kDataLoss,
                                          HasSubstr("hash to xxh3-")));
}

TEST_P(BlobStoreFaultTest, Temporaries_HaveFreshNamesWithThePrefix) {
  std::set<std::string> names;
  for (int i = 0; i < 10; ++i) names.insert(store_.NewTemporary());

  EXPECT_EQ(names.size(), 10);
  for (const std::string& name : names) {
    EXPECT_EQ(fs::path(name).parent_path(), store_.folder());
    EXPECT_THAT(fs::path(name).filename(),
                StartsWith(std::string(kTemporaryPrefix)));
  }
}

TEST_P(BlobStoreFaultTest, Threads_PuttingEqualBytesMakeOneBlob) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this] {
      for (int i = 0; i < 50; ++i) {
        EXPECT_OK(store_.Put(std::to_string(i % 5), GetParam()));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(Names().size(), 5);
}

TEST_P(BlobStoreFaultTest, FullDisk_NamesTheFolderAndLeavesNothing) {
  // A limit on the size of files stands in for the disk: the write that passes
  // it is cut short, the next one fails.
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit limited = before;
  limited.rlim_cur = 4096;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limited), 0);

  const absl::Status status =
      store_.Put(std::string(10000, 'x'), GetParam()).status();

  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kResourceExhausted,
                               HasSubstr("in folder " + store_.folder())));
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_P(BlobStoreFaultTest, Open_WhereAFileIs_IsRefused) {
  EXPECT_FALSE(BlobStore::Open(folder_.Write("file", "x")).ok());
}

TEST_P(BlobStoreFaultTest, FolderTakenAway_IsNamed) {
  fs::remove_all(store_.folder());

  EXPECT_THAT(store_.Put("x", GetParam()),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("in folder " + store_.folder())));
}

TEST_P(BlobStoreFaultTest, Remove_TakesTheBlobAway) {
  ASSERT_OK_AND_ASSIGN(const Blob blob, store_.Put("hello", GetParam()));

  ASSERT_OK(store_.Remove(blob));

  EXPECT_FALSE(store_.Contains(blob));
  EXPECT_THAT(Names(), IsEmpty());
}

}  // namespace
}  // namespace meanfield

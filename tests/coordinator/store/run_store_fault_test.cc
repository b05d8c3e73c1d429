#include <SQLiteCpp/Database.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "absl/strings/str_cat.h"
#include "coordinator/store/run_store.h"
#include "coordinator/store/schema.h"
#include "coordinator/store/state_folder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/coordinator/store/run_store_fixture.h"

namespace meanfield::store {
namespace {

using meanfield::testing::ReadFile;
using meanfield::testing::StatusIs;
using ::testing::_;
using ::testing::AllOf;
using ::testing::HasSubstr;

class RunStoreFaultTest : public RunStoreTest {
 protected:
  // Runs `work` in a child process that dies by SIGKILL at its end, without
  // closing anything.
  static void InKilledProcess(const std::function<void()>& work) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      work();
      raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  }
  // In the child: never closed.
  RunStore& OpenForever() const {
    auto store = RunStore::Open(state_dir());
    Require(store.status());
    return *store->release();
  }
  static void Require(const absl::Status& status) {
    if (!status.ok()) _exit(1);
  }
  void Overwrite(std::streamoff at, const std::string& bytes) {
    std::fstream file(database(),
                      std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file << bytes;
    ASSERT_TRUE(file.good());
  }
};

// Killed after each of the six commits of two rounds: what was committed is
// there, and the next step of the order of truth is accepted.
TEST_F(RunStoreFaultTest, Killed_KeepsEveryCommit) {
  store_.reset();
  for (uint32_t commits = 0; commits <= 6; ++commits) {
    const std::string run = absl::StrCat("run", commits);
    InKilledProcess([&] {
      RunStore& store = OpenForever();
      Require(store.PutRun(MakeRun(run)));
      for (uint32_t i = 0; i < commits; ++i) {
        const uint32_t round = i / 3 + 1;
        if (i % 3 == 0) Require(store.CommitPlan(run, MakePlan(round)));
        if (i % 3 == 1) {
          Require(store.CommitModel(run, MakeRound(store, round, run)));
        }
        if (i % 3 == 2) {
          Require(store.CommitVerdict(run, MakeVerdict(round)));
        }
      }
    });
    Reopen();
    ASSERT_OK_AND_ASSIGN(const auto details, store_->Load(run));
    EXPECT_EQ(details.rounds_size(), static_cast<int>(commits + 1) / 3);
    EXPECT_EQ(details.verdicts_size(), static_cast<int>(commits) / 3);
    EXPECT_EQ(store_->GetPlan(run, 1)->has_value(), commits >= 1);
    EXPECT_EQ(store_->GetPlan(run, 2)->has_value(), commits >= 4);
    store_.reset();
  }
}

TEST_F(RunStoreFaultTest, TornLog_LosesOnlyTheTornCommit) {
  store_.reset();
  InKilledProcess([&] {
    RunStore& store = OpenForever();
    Require(store.PutRun(MakeRun("first")));
    Require(store.PutRun(MakeRun("second")));
  });
  const std::string log = database() + "-wal";
  std::filesystem::resize_file(log, std::filesystem::file_size(log) - 100);
  Reopen();

  EXPECT_OK(store_->GetRun("first"));
  EXPECT_THAT(store_->GetRun("second"),
              StatusIs(absl::StatusCode::kNotFound, _));
}

TEST_F(RunStoreFaultTest, SecondCoordinator_IsToldWhoHasIt) {
  EXPECT_THAT(RunStore::Open(state_dir()),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr(state_dir()),
                             HasSubstr(absl::StrCat("process ", getpid())))));
}

TEST_F(RunStoreFaultTest, KilledCoordinator_LeavesNoLock) {
  store_.reset();
  InKilledProcess([&] { OpenForever(); });

  Reopen();
}

TEST_F(RunStoreFaultTest, NotADatabase_IsDataLoss) {
  store_.reset();
  Overwrite(0, std::string(4096, 'x'));

  EXPECT_THAT(RunStore::Open(state_dir()),
              StatusIs(absl::StatusCode::kDataLoss,
                       AllOf(HasSubstr(database()), HasSubstr("backup"))));
}

TEST_F(RunStoreFaultTest, DamagedPage_IsFoundAtOpening) {
  for (int i = 0; i < 200; ++i) {
    ASSERT_OK(store_->PutRun(MakeRun(absl::StrCat("run", i))));
  }
  store_.reset();  // all pages are in the file now
  Overwrite(3 * 4096, std::string(2048, '\xff'));

  EXPECT_THAT(RunStore::Open(state_dir()),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr(database())));
}

TEST_F(RunStoreFaultTest, DamagedRecord_IsDataLoss) {
  ASSERT_OK(store_->PutRun(MakeRun("a")));
  store_.reset();
  SQLite::Database(database(), SQLite::OPEN_READWRITE)
      .exec("UPDATE runs SET record = x'ffff'");
  Reopen();

  EXPECT_THAT(store_->GetRun("a"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("run a")));
}

TEST_F(RunStoreFaultTest, NewerSchema_NamesBothVersions) {
  store_.reset();
  SQLite::Database(database(), SQLite::OPEN_READWRITE)
      .exec("PRAGMA user_version = 99");

  EXPECT_THAT(
      RunStore::Open(state_dir()),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               AllOf(HasSubstr("schema version 99"),
                     HasSubstr(absl::StrCat("knows ", SchemaVersion())))));
}

TEST_F(RunStoreFaultTest, DatabaseOfAnotherProgram_IsLeftAlone) {
  const std::string other = folder_.File("other");
  ASSERT_OK(MakeFolder(other));
  const std::string path = other + "/meanfield.sqlite";
  SQLite::Database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE bookmarks (url)");
  const std::string before = ReadFile(path);

  EXPECT_THAT(RunStore::Open(other),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("another program")));
  EXPECT_EQ(ReadFile(path), before);
}

TEST_F(RunStoreFaultTest, StateDirectoryIsAFile_IsNamed) {
  const std::string file = folder_.Write("file", "");

  EXPECT_THAT(RunStore::Open(file),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("is in the way")));
}

// A limit on file sizes takes the place of a full disk.
TEST_F(RunStoreFaultTest, DiskFull_IsSaidAndUndone) {
  ASSERT_OK(store_->PutRun(MakeRun("a")));
  signal(SIGXFSZ, SIG_IGN);
  struct rlimit before {};
  getrlimit(RLIMIT_FSIZE, &before);
  const struct rlimit full { 1 << 16, before.rlim_max };
  setrlimit(RLIMIT_FSIZE, &full);
  proto::RunRecord big = MakeRun("big");
  big.set_reason(std::string(1 << 20, 'x'));

  const absl::Status status = store_->PutRun(big);
  setrlimit(RLIMIT_FSIZE, &before);

  EXPECT_THAT(status, StatusIs(absl::StatusCode::kResourceExhausted,
                               AllOf(HasSubstr("record run big"),
                                     HasSubstr("the disk is full"))));
  EXPECT_THAT(store_->GetRun("big"), StatusIs(absl::StatusCode::kNotFound, _));
  EXPECT_OK(store_->PutRun(big));
}

TEST_F(RunStoreFaultTest, ReadOnlyDatabase_IsPermissionDenied) {
  ASSERT_OK(store_->PutRun(MakeRun("a")));
  store_.reset();
  std::filesystem::permissions(database(), std::filesystem::perms::owner_read);
  if (access(database().c_str(), W_OK) == 0) {
    GTEST_SKIP() << "this user may write read-only files";
  }

  EXPECT_THAT(
      RunStore::Open(state_dir()),
      StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr("permissions")));
}

TEST(NetworkFileSystem, KnowsThoseWithoutReliableLocks) {
  EXPECT_EQ(NetworkFileSystem(0x6969), "NFS");
  EXPECT_EQ(NetworkFileSystem(0xFF534D42), "CIFS");
  EXPECT_EQ(NetworkFileSystem(0x65735546), "FUSE");
  EXPECT_EQ(NetworkFileSystem(0x0BD00BD0), "Lustre");
  EXPECT_EQ(NetworkFileSystem(0xEF53), std::nullopt);  // ext4
}

TEST(CheckFileSystem, FolderNeedNotExist) {
  testing::TemporaryFolder folder;

  EXPECT_OK(CheckFileSystem(folder.File("not/yet/there")));
}

}  // namespace
}  // namespace meanfield::store

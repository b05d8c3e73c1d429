#include "coordinator/driver/lease_table.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "common/blob/hash.h"
#include "coordinator/driver/upload_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::driver {
namespace {

using ::meanfield::testing::StatusIs;
using ::meanfield::testing::TemporaryFolder;
using ::testing::HasSubstr;

Blob BlobOf(const std::string& bytes) {
  return {.id = BlobIdOf(std::as_bytes(std::span(bytes))),
          .size = bytes.size()};
}

class LeaseTableTest : public ::testing::Test {
 protected:
  LeaseTableTest() {
    EXPECT_OK(table_.AddSession("session", worker_));
    Grant(1);
  }
  void Grant(uint64_t lease) {
    table_.Add(lease, {.holder = worker_,
                       .readable = {readable_},
                       .folder = folder_.path(),
                       .stem = "r1-train-0",
                       .max_output_bytes = 100});
  }
  std::string Upload(uint64_t lease, const std::string& bytes,
                     const Blob& announced) {
    const auto path = table_.UploadPath("session", lease, announced);
    EXPECT_OK(path);
    return folder_.Write(std::filesystem::path(*path).filename().string(),
                         bytes);
  }
  bool FolderIsEmpty() { return std::filesystem::is_empty(folder_.path()); }

  TemporaryFolder folder_;
  LeaseTable table_;
  const WorkerProcess worker_ = {"w", 7};
  const Blob readable_ = BlobOf("a model");
};

TEST_F(LeaseTableTest, CompleteUpload_IsSealedReadOnly) {
  const Blob output = BlobOf("update");
  Upload(1, "update", output);

  EXPECT_OK(table_.Seal("session", 1, output));

  ASSERT_OK_AND_ASSIGN(const std::string path, table_.SealedPath(1, output));
  struct stat info;
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0400);
  EXPECT_EQ(testing::ReadFile(path), "update");
}

TEST_F(LeaseTableTest, SealedTwice_IsOkAndTheSameFile) {
  const Blob output = BlobOf("update");
  Upload(1, "update", output);
  ASSERT_OK(table_.Seal("session", 1, output));
  ASSERT_OK_AND_ASSIGN(const std::string sealed, table_.SealedPath(1, output));

  EXPECT_OK(table_.Seal("session", 1, output));
  EXPECT_EQ(*table_.UploadPath("session", 1, output), sealed);
}

TEST_F(LeaseTableTest, OtherBytes_AreDataLossAndGone) {
  const Blob output = BlobOf("update");
  Upload(1, "updatE", output);

  EXPECT_THAT(table_.Seal("session", 1, output),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr(output.id)));
  EXPECT_TRUE(FolderIsEmpty());
  EXPECT_THAT(table_.SealedPath(1, output),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("1")));
}

TEST_F(LeaseTableTest, TooShort_IsDataLossWithBothSizes) {
  const Blob output = BlobOf("update");
  Upload(1, "upd", output);
  EXPECT_THAT(table_.Seal("session", 1, output),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("3 bytes")));
}

TEST_F(LeaseTableTest, LinkInsteadOfAFile_IsDenied) {
  const Blob output = BlobOf("update");
  const auto path = table_.UploadPath("session", 1, output);
  const std::string target = folder_.Write("elsewhere", "update");
  ASSERT_EQ(symlink(target.c_str(), path->c_str()), 0);

  EXPECT_THAT(
      table_.Seal("session", 1, output),
      StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr("plain file")));
}

TEST_F(LeaseTableTest, FileWithASecondName_IsDenied) {
  const Blob output = BlobOf("update");
  const std::string path = Upload(1, "update", output);
  ASSERT_EQ(link(path.c_str(), folder_.File("second").c_str()), 0);

  EXPECT_THAT(
      table_.Seal("session", 1, output),
      StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr("names 2")));
}

TEST_F(LeaseTableTest, LargerThanTheUnitAllows_IsRefusedBeforeAByte) {
  EXPECT_THAT(
      table_.UploadPath("session", 1, {.id = BlobOf("x").id, .size = 101}),
      StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("101")));
}

TEST_F(LeaseTableTest, NameThatIsNoHash_IsRefused) {
  EXPECT_THAT(
      table_.UploadPath("session", 1, {.id = "../../etc/passwd", .size = 1}),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no valid name")));
}

TEST_F(LeaseTableTest, LeaseOfAnotherWorker_IsNotFound) {
  ASSERT_OK(table_.AddSession("other", {"v", 1}));
  EXPECT_THAT(table_.UploadPath("other", 1, BlobOf("x")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("\"v\"")));
}

TEST_F(LeaseTableTest, SameUnitUnderANewLease_GoesOnInTheSameFile) {
  const Blob output = BlobOf("update");
  const auto before = table_.UploadPath("session", 1, output);
  ASSERT_OK(table_.AddSession("again", worker_));
  Grant(2);

  EXPECT_EQ(*table_.UploadPath("again", 2, output), *before);
  EXPECT_THAT(table_.UploadPath("session", 1, output),
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("token")));
}

TEST_F(LeaseTableTest, AnotherOutput_ReplacesTheOneBegun) {
  Upload(1, "upd", BlobOf("update"));
  EXPECT_OK(table_.UploadPath("session", 1, BlobOf("other")));
  EXPECT_TRUE(FolderIsEmpty());
}

TEST_F(LeaseTableTest, AnotherOutputAfterTheSeal_IsRefused) {
  const Blob output = BlobOf("update");
  Upload(1, "update", output);
  ASSERT_OK(table_.Seal("session", 1, output));
  EXPECT_THAT(
      table_.UploadPath("session", 1, BlobOf("other")),
      StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("complete")));
}

TEST_F(LeaseTableTest, RemovedLease_TakesItsFilesAlong) {
  const Blob output = BlobOf("update");
  Upload(1, "update", output);
  ASSERT_OK(table_.Seal("session", 1, output));

  table_.Remove({1});

  EXPECT_TRUE(FolderIsEmpty());
  EXPECT_THAT(table_.Seal("session", 1, output),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("drop")));
}

TEST_F(LeaseTableTest, BlobOfALease_IsReadableAndNoOther) {
  EXPECT_EQ(*table_.Readable("session", readable_.id), readable_);
  EXPECT_THAT(
      table_.Readable("session", BlobOf("secret").id),
      StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr("\"w\"")));
}

TEST_F(LeaseTableTest, OlderProcessOfALiveName_IsRefused) {
  EXPECT_THAT(
      table_.AddSession("older", {"w", 6}),
      StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("newer")));
  table_.RemoveSession("session");
  EXPECT_OK(table_.AddSession("older", {"w", 6}));
}

}  // namespace
}  // namespace meanfield::driver

#include <sys/stat.h>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "common/tensor/safetensors.h"
#include "coordinator/report/output_file.h"
#include "coordinator/report/report.h"
#include "coordinator/store/run_store.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::report {
namespace {

using ::meanfield::testing::ReadFile;
using ::meanfield::testing::StatusIs;
using ::meanfield::testing::TemporaryFolder;
using ::testing::HasSubstr;

class OutputFolderTest : public ::testing::Test {
 protected:
  OutputFolderTest() {
    auto store = store::RunStore::Open(folder_.File("state"));
    EXPECT_OK(store);
    store_ = *std::move(store);
    record_.set_id("toy");
    record_.set_state(proto::DONE);
    record_.set_best_round(1);
    Put("{}", *record_.mutable_manifest());
    Put("{\"words\":[]}", *record_.mutable_dictionaries());
    Put("model", *record_.mutable_model_config());
    Put("training", *record_.mutable_training_config());
    Put("best bytes", *record_.mutable_best_model());
    EXPECT_OK(store_->PutRun(record_));
  }
  void Put(const std::string& text, proto::BlobRef& ref) {
    const auto blob = store_->blobs().Put(text, Durability::kDurable);
    EXPECT_OK(blob);
    ref.set_id(blob->id);
    ref.set_size(blob->size);
  }
  absl::Status Write(const std::string& folder) {
    return WriteOutputFolder(*store_->Load("toy"), store_->blobs(), folder);
  }
  std::string Read(const std::string& name) {
    return ReadFile(folder_.File("out/" + name));
  }

  TemporaryFolder folder_;
  std::unique_ptr<store::RunStore> store_;
  proto::RunRecord record_;
};

TEST_F(OutputFolderTest, Blobs_AreThereUnderTheirNames) {
  ASSERT_OK(Write(folder_.File("out")));
  EXPECT_EQ(Read("manifest.json"), "{}");
  EXPECT_EQ(Read("dictionaries.json"), "{\"words\":[]}");
  EXPECT_EQ(Read("model.json"), "model");
  EXPECT_EQ(Read("best.safetensors"), "best bytes");
  EXPECT_THAT(Read("report.json"), HasSubstr("\"run\": \"toy\""));
  EXPECT_THAT(Read("report.txt"), HasSubstr("toy"));
  EXPECT_THAT(Read("rounds.tsv"), HasSubstr("round\twall_s"));
}

TEST_F(OutputFolderTest, FrozenTensors_AreInTheModelsAgain) {
  const auto put = [&](const std::string& name,
                       const std::vector<float>& values, proto::BlobRef& ref) {
    const std::string path = folder_.File("tensors");
    ASSERT_OK(WriteSafetensors(
        path, {{.spec = {.name = name,
                         .shape = {static_cast<int64_t>(values.size())}},
                .bytes = std::as_bytes(std::span(values))}}));
    Put(ReadFile(path), ref);
  };
  put("weight", {1, 2}, *record_.mutable_best_model());
  proto::FrozenTensor& frozen = *record_.add_frozen();
  frozen.set_name("vectors");
  put("vectors", {3, 4, 5}, *frozen.mutable_file());
  ASSERT_OK(store_->PutRun(record_));
  const std::string out = folder_.File("out");

  ASSERT_OK(Write(out));

  ASSERT_OK_AND_ASSIGN(const SafetensorsFile file,
                       SafetensorsFile::Open(out + "/best.safetensors"));
  EXPECT_EQ(file.tensors().size(), 2u);
  EXPECT_THAT(file.Find("vectors")->As<float>(),
              ::testing::ElementsAre(3, 4, 5));
  EXPECT_THAT(Read("report.json"), HasSubstr(frozen.file().id()));
  const auto before =
      std::filesystem::last_write_time(out + "/best.safetensors");
  ASSERT_OK(Write(out));
  EXPECT_EQ(std::filesystem::last_write_time(out + "/best.safetensors"),
            before);
  EXPECT_FALSE(std::filesystem::exists(out + "/best.safetensors.part"));
}

TEST_F(OutputFolderTest, NextCall_ReplacesWhatChangedOnly) {
  const std::string out = folder_.File("out");
  ASSERT_OK(Write(out));
  const auto before = std::filesystem::last_write_time(out + "/rounds.tsv");
  Put("better bytes", *record_.mutable_best_model());
  ASSERT_OK(store_->PutRun(record_));

  ASSERT_OK(Write(out));

  EXPECT_EQ(Read("best.safetensors"), "better bytes");
  EXPECT_EQ(std::filesystem::last_write_time(out + "/rounds.tsv"), before);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(out)) {
    EXPECT_NE(entry.path().extension(), ".part") << entry.path();
  }
}

TEST_F(OutputFolderTest, BlobRemovedFromTheStore_FilesStay) {
  ASSERT_OK(Write(folder_.File("out")));
  ASSERT_OK(store_->blobs().Remove(
      {.id = record_.best_model().id(), .size = record_.best_model().size()}));
  EXPECT_EQ(Read("best.safetensors"), "best bytes");
}

TEST_F(OutputFolderTest, OutputBlobs_AreAllThatIsNeeded) {
  const TemporaryFolder elsewhere;
  ASSERT_OK_AND_ASSIGN(const BlobStore blobs,
                       BlobStore::Open(elsewhere.File("blobs")));
  ASSERT_OK_AND_ASSIGN(const proto::RunDetails run, store_->Load("toy"));
  for (const proto::BlobRef& ref : OutputBlobs(run)) {
    ASSERT_OK_AND_ASSIGN(const std::string path,
                         store_->blobs().Path({ref.id(), ref.size()}));
    std::filesystem::copy_file(path, blobs.folder() + "/" + ref.id());
  }

  EXPECT_OK(WriteOutputFolder(run, blobs, elsewhere.File("out")));
}

TEST_F(OutputFolderTest, FileInThePlaceOfTheFolder_IsNamed) {
  folder_.Write("out", "a file");
  const absl::Status status = Write(folder_.File("out"));
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr("out"));
}

TEST(OutputFile, FullDisk_LeavesTheOldFile) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  TemporaryFolder folder;
  const std::string path = folder.Write("report.json", "old");
  std::filesystem::create_symlink("/dev/full", path + ".part");

  EXPECT_THAT(WriteIfChanged(path, "new"),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr(path)));
  EXPECT_EQ(ReadFile(path), "old");
}

}  // namespace
}  // namespace meanfield::report

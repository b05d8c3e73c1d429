#include "common/model/encoded_shard.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/tensor/safetensors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace meanfield {
namespace {

using ::meanfield::testing::StatusIs;
using ::meanfield::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <typename T>
TensorView View(std::string_view name, const std::vector<T>& values) {
  return {.spec = {std::string(name),
                   DTypeOf<T>(),
                   {static_cast<int64_t>(values.size())}},
          .bytes = std::as_bytes(std::span(values))};
}

class EncodedShardTest : public ::testing::Test {
 protected:
  // Writes what is set and reads it back.
  absl::StatusOr<EncodedShard> Read() {
    std::vector<TensorView> tensors;
    if (ids_) tensors.push_back(View("ids", *ids_));
    if (offsets_) tensors.push_back(View("offsets", *offsets_));
    if (labels_) tensors.push_back(View("labels", *labels_));
    if (tags_) tensors.push_back(View("tags", *tags_));
    if (extra_) tensors.push_back(View("extra", *extra_));
    const std::string path = folder_.File("shard");
    EXPECT_OK(WriteSafetensors(path, tensors));
    file_ = *SafetensorsFile::Open(path);
    return ViewEncodedShard(*file_);
  }
  static auto Refused(std::string_view why) {
    return StatusIs(absl::StatusCode::kInvalidArgument,
                    ::testing::AllOf(HasSubstr("encoded shard: "),
                                     HasSubstr(std::string(why))));
  }

  TemporaryFolder folder_;
  std::optional<SafetensorsFile> file_;
  std::optional<std::vector<int32_t>> ids_ = {{5, 6, 7}};
  std::optional<std::vector<int64_t>> offsets_ = {{0, 2, 3}};
  std::optional<std::vector<int32_t>> labels_;
  std::optional<std::vector<int32_t>> tags_;
  std::optional<std::vector<int32_t>> extra_;
};

TEST_F(EncodedShardTest, Classifier_HasALabelPerSample) {
  labels_ = {1, 0};

  ASSERT_OK_AND_ASSIGN(const EncodedShard shard, Read());

  EXPECT_EQ(shard.size(), 2);
  EXPECT_THAT(shard.ids, ElementsAre(5, 6, 7));
  EXPECT_THAT(shard.offsets, ElementsAre(0, 2, 3));
  EXPECT_THAT(shard.labels, ElementsAre(1, 0));
  EXPECT_THAT(shard.tags, IsEmpty());
}

TEST_F(EncodedShardTest, Tagger_HasATagPerId) {
  tags_ = {3, 2, 1};

  ASSERT_OK_AND_ASSIGN(const EncodedShard shard, Read());

  EXPECT_THAT(shard.tags, ElementsAre(3, 2, 1));
  EXPECT_THAT(shard.labels, IsEmpty());
}

TEST_F(EncodedShardTest, Prediction_HasNeither) { EXPECT_OK(Read()); }

TEST_F(EncodedShardTest, NoSamples_IsAShard) {
  ids_->clear();
  offsets_ = {0};
  tags_.emplace();

  ASSERT_OK_AND_ASSIGN(const EncodedShard shard, Read());

  EXPECT_EQ(shard.size(), 0);
}

TEST_F(EncodedShardTest, EmptySample_IsRefusedForTaggersOnly) {
  offsets_ = {0, 2, 2, 3};
  EXPECT_OK(Read());
  labels_ = {0, 0, 0};
  EXPECT_OK(Read());
  labels_.reset();
  tags_ = {0, 0, 0};
  EXPECT_THAT(Read(), Refused("sample 1 has no tokens"));
}

TEST_F(EncodedShardTest, BadOffsets_AreRefused) {
  offsets_ = {1, 3};
  EXPECT_THAT(Read(), Refused("offsets do not start with 0"));
  offsets_ = {0, 2};
  EXPECT_THAT(Read(), Refused("offsets end with 2 but there are 3 ids"));
  offsets_ = {0, 4, 3};
  EXPECT_THAT(Read(), Refused("offsets[2] = 3 is below the one before, 4"));
  offsets_ = {0, -1, 3};
  EXPECT_THAT(Read(), Refused("offsets[1] = -1 is below"));
  offsets_->clear();
  EXPECT_THAT(Read(), Refused("offsets do not start with 0"));
}

TEST_F(EncodedShardTest, WrongNumberOfLabelsOrTags_IsRefused) {
  labels_ = {1, 0, 1};
  EXPECT_THAT(Read(), Refused("3 labels for 2 samples"));
  labels_.reset();
  tags_ = {1, 1};
  EXPECT_THAT(Read(), Refused("2 tags for 3 ids"));
  labels_ = {1, 0};
  tags_ = {1, 1, 1};
  EXPECT_THAT(Read(), Refused("both labels and tags"));
}

TEST_F(EncodedShardTest, MissingOrUnknownTensor_IsRefused) {
  extra_ = {1};
  EXPECT_THAT(Read(), Refused("unknown tensor extra I32 [1]"));
  extra_.reset();
  ids_.reset();
  EXPECT_THAT(Read(), Refused("no tensor ids"));
  ids_.emplace();
  offsets_.reset();
  EXPECT_THAT(Read(), Refused("no tensor offsets"));
}

TEST_F(EncodedShardTest, WrongDType_IsRefused) {
  const std::vector<int64_t> ids = {5, 6, 7};
  const std::string path = folder_.File("wide");
  ASSERT_OK(
      WriteSafetensors(path, {View("ids", ids), View("offsets", *offsets_)}));
  ASSERT_OK_AND_ASSIGN(const SafetensorsFile file, SafetensorsFile::Open(path));

  EXPECT_THAT(ViewEncodedShard(file),
              Refused("tensor ids I64 [3]: expected I32 with 1 dimensions"));
}

}  // namespace
}  // namespace meanfield

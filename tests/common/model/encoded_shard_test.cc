#include "common/model/encoded_shard.h"

#include <cstdint>
#include <map>
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
TensorView View(std::string_view name, const std::vector<T>& values,
                std::vector<int64_t> shape) {
  return {.spec = {std::string(name), DTypeOf<T>(), std::move(shape)},
          .bytes = std::as_bytes(std::span(values))};
}
template <typename T>
TensorView View(std::string_view name, const std::vector<T>& values) {
  return View(name, values, {static_cast<int64_t>(values.size())});
}

class EncodedShardTest : public ::testing::Test {
 protected:
  // Writes what is set and reads it back.
  absl::StatusOr<EncodedShard> Read() {
    std::vector<TensorView> tensors;
    if (ids_) {
      const auto size = static_cast<int64_t>(ids_->size());
      tensors.push_back(View("ids", *ids_, {rows_, rows_ ? size / rows_ : 3}));
    }
    for (const auto& [name, values] : ints_) {
      tensors.push_back(View(name, values));
    }
    for (const auto& [name, values] : offsets_) {
      tensors.push_back(View(name, values));
    }
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
  void AddCharacters() {
    ints_["words"] = {0, 1, 0};
    ints_["characters"] = {4, 5, 6};
    offsets_["character_offsets"] = {0, 1, 3};
  }

  TemporaryFolder folder_;
  std::optional<SafetensorsFile> file_;
  int64_t rows_ = 1;  // of ids
  std::optional<std::vector<int32_t>> ids_ = {{5, 6, 7}};
  std::map<std::string, std::vector<int32_t>> ints_;
  std::map<std::string, std::vector<int64_t>> offsets_ = {
      {"offsets", {0, 2, 3}}};
};

TEST_F(EncodedShardTest, Classifier_HasALabelPerSample) {
  ints_["labels"] = {1, 0};

  ASSERT_OK_AND_ASSIGN(const EncodedShard shard, Read());

  EXPECT_EQ(shard.size(), 2);
  EXPECT_EQ(shard.num_tokens(), 3);
  EXPECT_THAT(shard.ids, ElementsAre(5, 6, 7));
  EXPECT_THAT(shard.offsets, ElementsAre(0, 2, 3));
  EXPECT_THAT(shard.labels, ElementsAre(1, 0));
  EXPECT_THAT(shard.label_offsets, IsEmpty());
  EXPECT_THAT(shard.tags, IsEmpty());
}

TEST_F(EncodedShardTest, Tagger_HasATagPerToken) {
  ints_["tags"] = {3, 2, 1};

  ASSERT_OK_AND_ASSIGN(const EncodedShard shard, Read());

  EXPECT_THAT(shard.tags, ElementsAre(3, 2, 1));
  EXPECT_THAT(shard.labels, IsEmpty());
}

TEST_F(EncodedShardTest, SeveralTables_HaveARowEach) {
  rows_ = 2;
  ids_ = {{5, 6, 7, 8, 9, 10}};
  ints_["tags"] = {3, 2, 1};

  ASSERT_OK_AND_ASSIGN(const EncodedShard shard, Read());

  EXPECT_EQ(shard.num_tokens(), 3);
  EXPECT_THAT(shard.ids, ElementsAre(5, 6, 7, 8, 9, 10));
}

TEST_F(EncodedShardTest, NoTable_StillHasTokens) {
  rows_ = 0;
  ids_->clear();
  AddCharacters();

  ASSERT_OK_AND_ASSIGN(const EncodedShard shard, Read());

  EXPECT_EQ(shard.num_tokens(), 3);
  EXPECT_THAT(shard.words, ElementsAre(0, 1, 0));
  EXPECT_THAT(shard.characters, ElementsAre(4, 5, 6));
  EXPECT_THAT(shard.character_offsets, ElementsAre(0, 1, 3));
}

TEST_F(EncodedShardTest, MultiLabel_HasAnyNumberOfLabelsASample) {
  offsets_["offsets"] = {0, 1, 2, 3};
  ints_["labels"] = {0, 2, 1};
  offsets_["label_offsets"] = {0, 2, 2, 3};

  ASSERT_OK_AND_ASSIGN(const EncodedShard shard, Read());

  EXPECT_THAT(shard.labels, ElementsAre(0, 2, 1));
  EXPECT_THAT(shard.label_offsets, ElementsAre(0, 2, 2, 3));
}

TEST_F(EncodedShardTest, Prediction_HasNeither) { EXPECT_OK(Read()); }

TEST_F(EncodedShardTest, NoSamples_IsAShard) {
  ids_->clear();
  offsets_["offsets"] = {0};
  ints_["tags"] = {};

  ASSERT_OK_AND_ASSIGN(const EncodedShard shard, Read());

  EXPECT_EQ(shard.size(), 0);
}

TEST_F(EncodedShardTest, EmptySample_IsRefusedForTaggersOnly) {
  offsets_["offsets"] = {0, 2, 2, 3};
  EXPECT_OK(Read());
  ints_["labels"] = {0, 0, 0};
  EXPECT_OK(Read());
  ints_.clear();
  ints_["tags"] = {0, 0, 0};
  EXPECT_THAT(Read(), Refused("offsets: no tokens at 1, expected one"));
}

TEST_F(EncodedShardTest, BadOffsets_AreRefused) {
  offsets_["offsets"] = {1, 3};
  EXPECT_THAT(Read(), Refused("offsets do not start with 0"));
  offsets_["offsets"] = {0, 2};
  EXPECT_THAT(Read(), Refused("offsets end with 2 but there are 3 tokens"));
  offsets_["offsets"] = {0, 4, 3};
  EXPECT_THAT(Read(), Refused("offsets[2] = 3 is below the one before, 4"));
  offsets_["offsets"] = {0, -1, 3};
  EXPECT_THAT(Read(), Refused("offsets[1] = -1 is below"));
  offsets_["offsets"].clear();
  EXPECT_THAT(Read(), Refused("offsets do not start with 0"));
}

TEST_F(EncodedShardTest, WrongNumberOfLabelsOrTags_IsRefused) {
  ints_["labels"] = {1, 0, 1};
  EXPECT_THAT(Read(), Refused("3 labels for 2 samples"));
  ints_.clear();
  ints_["tags"] = {1, 1};
  EXPECT_THAT(Read(), Refused("2 tags for 3 tokens"));
  ints_["labels"] = {1, 0};
  ints_["tags"] = {1, 1, 1};
  EXPECT_THAT(Read(), Refused("both labels and tags"));
}

TEST_F(EncodedShardTest, BadMultiLabels_AreRefused) {
  offsets_["label_offsets"] = {0, 2, 3};
  EXPECT_THAT(Read(), Refused("label_offsets without labels"));
  ints_["labels"] = {2, 2, 0};
  EXPECT_THAT(Read(), Refused("label 2 of sample 0 comes after 2"));
  ints_["labels"] = {0, 2, 0};
  EXPECT_OK(Read());
  offsets_["label_offsets"] = {0, 3};
  EXPECT_THAT(Read(), Refused("2 label_offsets for 3 samples and an end"));
  offsets_["label_offsets"] = {0, 1, 2};
  EXPECT_THAT(Read(), Refused("label_offsets end with 2 but there are 3"));
  offsets_["label_offsets"] = {0, 9, 3};
  EXPECT_THAT(Read(), Refused("label_offsets[2] = 3 is below"));
}

TEST_F(EncodedShardTest, BadCharacters_AreRefused) {
  AddCharacters();
  ints_["words"] = {0, 2, 0};
  EXPECT_THAT(Read(), Refused("words[1] = 2, expected 0 to 1"));
  ints_["words"] = {0, -1, 0};
  EXPECT_THAT(Read(), Refused("words[1] = -1, expected 0 to 1"));
  ints_["words"] = {0, 1};
  EXPECT_THAT(Read(), Refused("2 words for 3 tokens"));
  AddCharacters();
  offsets_["character_offsets"] = {0, 0, 3};
  EXPECT_THAT(Read(), Refused("character_offsets: no characters at 0"));
  offsets_["character_offsets"] = {0, 1, 2};
  EXPECT_THAT(Read(), Refused("character_offsets end with 2 but there are 3"));
  ints_.erase("words");
  EXPECT_THAT(Read(), Refused("some of words, characters"));
}

TEST_F(EncodedShardTest, MissingOrUnknownTensor_IsRefused) {
  ints_["extra"] = {1};
  EXPECT_THAT(Read(), Refused("unknown tensor extra I32 [1]; known are ids, "));
  ints_.clear();
  ids_.reset();
  EXPECT_THAT(Read(), Refused("no tensor ids"));
  ids_.emplace();
  offsets_.clear();
  EXPECT_THAT(Read(), Refused("no tensor offsets"));
}

TEST_F(EncodedShardTest, WrongDTypeOrRank_IsRefused) {
  const std::vector<int64_t> wide = {5, 6, 7};
  const std::string path = folder_.File("wide");
  ASSERT_OK(WriteSafetensors(
      path, {View("ids", wide, {1, 3}), View("offsets", offsets_["offsets"])}));
  ASSERT_OK_AND_ASSIGN(SafetensorsFile file, SafetensorsFile::Open(path));
  EXPECT_THAT(ViewEncodedShard(file),
              Refused("tensor ids I64 [1, 3]: expected I32 with 2 dimensions"));

  ASSERT_OK(WriteSafetensors(
      path, {View("ids", *ids_), View("offsets", offsets_["offsets"])}));
  ASSERT_OK_AND_ASSIGN(file, SafetensorsFile::Open(path));
  EXPECT_THAT(ViewEncodedShard(file),
              Refused("tensor ids I32 [3]: expected I32 with 2 dimensions"));
}

}  // namespace
}  // namespace meanfield

#include "coordinator/corpus/text_encoder.h"

#include <string>
#include <vector>

#include "common/model/encoded_shard.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::corpus {
namespace {

using ::meanfield::testing::StatusIs;
using ::meanfield::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Strings = std::vector<std::string>;

Dictionaries Small(LabelKind kind) {
  return {.embeddings = {{EmbeddingKind::kOneHot, Dictionary({"<unk>", "hi"})}},
          .labels = Dictionary({"<unk>", "X"}),
          .label_kind = kind};
}

class TextEncoderTest : public ::testing::Test {
 protected:
  SafetensorsFile Output(const std::vector<int32_t>& predictions,
                         const std::vector<float>& probabilities) {
    const std::string path = folder_.File("output");
    EXPECT_OK(WriteSafetensors(
        path, {{.spec = {.name = "predictions",
                         .dtype = DType::kI32,
                         .shape = {static_cast<int64_t>(predictions.size())}},
                .bytes = std::as_bytes(std::span(predictions))},
               {.spec = {.name = "probabilities",
                         .dtype = DType::kF32,
                         .shape = {static_cast<int64_t>(probabilities.size())}},
                .bytes = std::as_bytes(std::span(probabilities))}}));
    return *SafetensorsFile::Open(path);
  }

  const TemporaryFolder folder_;
};

TEST_F(TextEncoderTest, EmptyText_KeepsItsPlace) {
  ASSERT_OK_AND_ASSIGN(BlobStore blobs, BlobStore::Open(folder_.File("b")));
  ASSERT_OK_AND_ASSIGN(
      const Blob blob,
      EncodeTexts({"hi you", " ", "hi"}, Small(LabelKind::kDocument), blobs));

  ASSERT_OK_AND_ASSIGN(const std::string path, blobs.Path(blob));
  ASSERT_OK_AND_ASSIGN(const SafetensorsFile file, SafetensorsFile::Open(path));
  ASSERT_OK_AND_ASSIGN(const EncodedShard shard, ViewEncodedShard(file));
  EXPECT_THAT(shard.ids, ElementsAre(1, 0, 1));
  EXPECT_THAT(shard.offsets, ElementsAre(0, 2, 2, 3));
}

TEST_F(TextEncoderTest, InvalidUtf8_NamesTextAndByte) {
  ASSERT_OK_AND_ASSIGN(BlobStore blobs, BlobStore::Open(folder_.File("b")));
  EXPECT_THAT(EncodeTexts({"ok", "a\xFF"}, Small(LabelKind::kDocument), blobs),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("text 2: byte 2 is not UTF-8")));
}

TEST_F(TextEncoderTest, ClassifierOutput_BecomesLabelAndProbability) {
  ASSERT_OK_AND_ASSIGN(
      const Strings lines,
      DecodePredictions({"hi", ""}, Output({1, 0}, {0.75f, 0.5f}),
                        Small(LabelKind::kDocument)));
  EXPECT_THAT(lines, ElementsAre("X\t0.7500", "<unk>\t0.5000"));
}

TEST_F(TextEncoderTest, MultiLabelOutput_ListsLikeliestFirst) {
  Dictionaries dictionaries = Small(LabelKind::kDocument);
  dictionaries.labels = Dictionary({"<unk>", "X", "Y"});
  dictionaries.multi_label = true;
  const std::vector<int32_t> ids = {1, 2, 1};
  const std::vector<float> probabilities = {0.6f, 0.9f, 0.7f};
  const std::vector<int64_t> offsets = {0, 2, 2, 3};
  const std::string path = folder_.File("output");
  const auto view = [](std::string name, DType dtype, const auto& values) {
    return TensorView{.spec = {.name = std::move(name),
                               .dtype = dtype,
                               .shape = {static_cast<int64_t>(values.size())}},
                      .bytes = std::as_bytes(std::span(values))};
  };
  ASSERT_OK(WriteSafetensors(
      path, {view("predictions", DType::kI32, ids),
             view("probabilities", DType::kF32, probabilities),
             view("prediction_offsets", DType::kI64, offsets)}));

  ASSERT_OK_AND_ASSIGN(
      const Strings lines,
      DecodePredictions({"a", "b", "c"}, *SafetensorsFile::Open(path),
                        dictionaries));

  EXPECT_THAT(lines, ElementsAre("Y\t0.9000\tX\t0.6000", "", "X\t0.7000"));
}

TEST_F(TextEncoderTest, Characters_TravelWithTheTexts) {
  Dictionaries dictionaries = Small(LabelKind::kToken);
  dictionaries.embeddings.push_back(
      {EmbeddingKind::kCharacters, Dictionary({"<unk>", "h", "i"})});
  ASSERT_OK_AND_ASSIGN(BlobStore blobs, BlobStore::Open(folder_.File("b")));
  ASSERT_OK_AND_ASSIGN(const Blob blob, EncodeTexts({"hi \xC3\xA4h", "", "hi"},
                                                    dictionaries, blobs));

  ASSERT_OK_AND_ASSIGN(const std::string path, blobs.Path(blob));
  ASSERT_OK_AND_ASSIGN(const SafetensorsFile file, SafetensorsFile::Open(path));
  ASSERT_OK_AND_ASSIGN(const EncodedShard shard, ViewEncodedShard(file));
  EXPECT_THAT(shard.ids, ElementsAre(1, 0, 1));
  EXPECT_THAT(shard.words, ElementsAre(0, 1, 0));
  EXPECT_THAT(shard.characters, ElementsAre(1, 2, 0, 1));
}

TEST_F(TextEncoderTest, TaggerOutput_BecomesTokensWithTags) {
  ASSERT_OK_AND_ASSIGN(
      const Strings lines,
      DecodePredictions({"hi  you", "", "x"}, Output({1, 0, 1}, {1, 1, 1}),
                        Small(LabelKind::kToken)));
  EXPECT_THAT(lines, ElementsAre("hi/X you/<unk>", "", "x/X"));
}

TEST_F(TextEncoderTest, OutputThatDoesNotFit_IsRefused) {
  const auto decode = [&](LabelKind kind, std::vector<int32_t> ids) {
    return DecodePredictions({"hi you"}, Output(ids, {1}), Small(kind));
  };
  const auto invalid = [](std::string_view part) {
    return StatusIs(absl::StatusCode::kInvalidArgument,
                    HasSubstr(std::string(part)));
  };
  EXPECT_THAT(decode(LabelKind::kDocument, {1, 1}), invalid("expected 1"));
  EXPECT_THAT(decode(LabelKind::kDocument, {2}), invalid("label id 2"));
  EXPECT_THAT(decode(LabelKind::kToken, {1}),
              invalid("has 1 predictions, expected 2"));
  EXPECT_THAT(decode(LabelKind::kToken, {1, 1, 1}), invalid("expected 2"));
}

}  // namespace
}  // namespace meanfield::corpus

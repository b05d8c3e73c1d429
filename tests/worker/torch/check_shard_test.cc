#include "worker/torch/check_shard.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/worker/torch/toy_units.h"

namespace meanfield {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;
using testing::ToyCrfTagger;
using testing::ToyShard;
using testing::ToySpelledSentences;

absl::Status Check(const ModelConfig& model, const ToyShard& shard) {
  return CheckShard(model, shard.view(), Targets::kNeeded);
}

auto Refuses(const std::string& part) {
  return StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(part));
}

TEST(CheckShard, WhatBelongsTogether_IsFine) {
  EXPECT_OK(Check(ToyCrfTagger(), ToySpelledSentences(5)));
  EXPECT_OK(Check(testing::ToyBag(), testing::ToyTexts(5)));
}

TEST(CheckShard, IdOfTheSecondTable_NamesTheRow) {
  ModelConfig model = testing::ToyTagger();
  std::get<SequenceTaggerConfig>(model.model)
      .embeddings.push_back(
          WordEmbeddings{.num_embeddings = 20, .embedding_size = 3});
  ToyShard shard = testing::ToySentences(5);
  shard.ids.resize(2 * shard.ids.size());
  EXPECT_OK(Check(model, shard));
  shard.ids.back() = 20;

  EXPECT_THAT(Check(model, shard),
              Refuses("ids (row 1) of the shard holds 20"));
}

TEST(CheckShard, RowsOfAnotherModel_AreCounted) {
  ToyShard shard = ToySpelledSentences(5);
  shard.ids.resize(2 * shard.ids.size());

  EXPECT_THAT(Check(ToyCrfTagger(), shard), Refuses("model's 1 embeddings"));
}

TEST(CheckShard, Characters_MustBeThereAndKnown) {
  EXPECT_THAT(Check(ToyCrfTagger(), testing::ToySentences(5)),
              Refuses("tensor words of the shard has 0 elements"));
  ToyShard shard = ToySpelledSentences(5);
  shard.characters[3] = 9;
  EXPECT_THAT(Check(ToyCrfTagger(), shard),
              Refuses("characters of the shard holds 9 at position 3"));
  shard = ToySpelledSentences(5);
  shard.words[1] = 30;
  EXPECT_THAT(Check(ToyCrfTagger(), shard),
              Refuses("words of the shard holds 30 at position 1"));
}

TEST(CheckShard, StartAndStop_AreNoTagsOfTokens) {
  ToyShard shard = ToySpelledSentences(5);
  shard.tags[2] = 2;

  EXPECT_THAT(Check(ToyCrfTagger(), shard),
              Refuses("tags of the shard holds 2 at position 2"));
  EXPECT_OK(CheckShard(ToyCrfTagger(), shard.view(), Targets::kUnused));
}

TEST(CheckShard, SeveralLabels_NeedAModelOfThem) {
  ModelConfig model = testing::ToyRecurrentClassifier();
  const ToyShard shard = testing::ToyLabelSets(5);
  EXPECT_THAT(Check(model, shard), Refuses("one label to a text"));

  std::get<TextClassifierConfig>(model.model).multi_label = true;

  EXPECT_OK(Check(model, shard));
}

}  // namespace
}  // namespace meanfield

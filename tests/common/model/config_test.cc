#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_replace.h"
#include "common/base/strings.h"
#include "common/model/model_config.h"
#include "common/model/training_config.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"

namespace meanfield {
namespace {

using ::meanfield::testing::StatusIs;
using ::testing::HasSubstr;

auto Refused(std::string_view why) {
  return StatusIs(absl::StatusCode::kInvalidArgument,
                  HasSubstr(std::string(why)));
}

// `text` with one piece of it, which must be there, replaced.
std::string With(std::string_view text, std::string_view piece,
                 std::string_view replacement) {
  std::string changed(text);
  const size_t at = changed.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  return changed.replace(at, piece.size(), replacement);
}

constexpr char kClassifier[] = R"({
  "model": "text_classifier",
  "embeddings": {
    "type": "one_hot",
    "num_embeddings": 1000,
    "embedding_size": 64
  },
  "ngrams": {
    "size": 2,
    "buckets": 262144
  },
  "pooling": "mean",
  "num_labels": 7
}
)";

constexpr char kTagger[] = R"({
  "model": "sequence_tagger",
  "embeddings": {
    "type": "one_hot",
    "num_embeddings": 500,
    "embedding_size": 100
  },
  "rnn": {
    "type": "lstm",
    "hidden_size": 256,
    "num_layers": 1,
    "bidirectional": true
  },
  "dropout": 0.0,
  "word_dropout": 0.05,
  "locked_dropout": 0.5,
  "num_tags": 9
}
)";

constexpr char kSgd[] = R"({
  "batch_size": 16,
  "eval_batch_size": 64,
  "loss": "mean",
  "optimizer": {
    "type": "sgd",
    "momentum": 0.9,
    "weight_decay": 0.0,
    "nesterov": true
  },
  "max_grad_norm": null
}
)";

constexpr char kAdamW[] = R"({
  "batch_size": 32,
  "eval_batch_size": 64,
  "loss": "sum",
  "optimizer": {
    "type": "adamw",
    "beta1": 0.9,
    "beta2": 0.999,
    "eps": 1e-08,
    "weight_decay": 0.1
  },
  "max_grad_norm": 5.0
}
)";

TEST(ModelConfig, Json_IsCanonical) {
  EXPECT_EQ(ToJson(ModelConfig{TextClassifierConfig{
                .embeddings = {.num_embeddings = 1000, .embedding_size = 64},
                .ngram_size = 2,
                .ngram_buckets = 262144,
                .num_labels = 7}}),
            kClassifier);
  EXPECT_EQ(ToJson(ModelConfig{SequenceTaggerConfig{
                .embeddings = {.num_embeddings = 500, .embedding_size = 100},
                .num_tags = 9}}),
            kTagger);
}

TEST(ModelConfig, Json_RoundTrips) {
  for (const char* json : {kClassifier, kTagger}) {
    ASSERT_OK_AND_ASSIGN(const ModelConfig config, ParseModelConfig(json));
    EXPECT_EQ(ToJson(config), json);
  }
}

TEST(ModelConfig, OddNumbers_RoundTripToTheLastBit) {
  const ModelConfig config{SequenceTaggerConfig{
      .embeddings = {.num_embeddings = 1, .embedding_size = 1},
      .num_tags = 1,
      .dropout = 0.1 + 0.2,
      .word_dropout = 5e-324,
      .locked_dropout = 0.9999999999999999}};

  ASSERT_OK_AND_ASSIGN(const ModelConfig back,
                       ParseModelConfig(ToJson(config)));

  EXPECT_EQ(back, config);
}

TEST(ModelConfig, Blanks_DoNotMatter) {
  const std::string dense = absl::StrReplaceAll(kTagger, {{"\n", ""}});

  ASSERT_OK_AND_ASSIGN(const ModelConfig config, ParseModelConfig(dense));

  EXPECT_EQ(ToJson(config), kTagger);
}

TEST(ModelConfig, Faults_NameTheKey) {
  const std::vector<std::vector<std::string_view>> cases = {
      {"\"text_classifier\"", "\"bag\"", "model: expected one of \"text_clas"},
      {"\"text_classifier\"", "7", "model: expected one of"},
      {"\"model\"", "\"modell\"", "model: is missing"},
      {"\"num_labels\": 7", "\"num_labels\": 0", "num_labels: expected an int"},
      {"\"num_labels\": 7", "\"num_labels\": -7", "got -7"},
      {"\"num_labels\": 7", "\"num_labels\": 7.0", "got 7.0"},
      {"\"num_labels\": 7", "\"num_labels\": \"7\"", "got \"7\""},
      {"\"num_labels\": 7", "\"num_labels\": 2147483648", "to 2147483647"},
      {"\"num_labels\": 7", "\"num_labels\": 18446744073709551615", "got 18"},
      {"\"num_labels\": 7", "\"labels\": 7", "num_labels: is missing"},
      {"\"num_labels\": 7", "\"num_labels\": 7, \"x\": 1", "x: unknown key"},
      {"\"size\": 2", "\"size\": 0", "ngrams.size: expected"},
      {"\"size\": 2", "\"size\": 1",
       "ngrams.buckets: expected buckets exactly"},
      {"262144", "0", "ngrams.buckets: expected buckets exactly"},
      {"262144", "2147483647", "ngrams.buckets: expected ids of words and"},
      {"\"buckets\"", "\"bucket\"", "ngrams.buckets: is missing"},
      {"\"one_hot\"", "\"flair\"", "embeddings.type: expected one of"},
      {"64", "null", "embeddings.embedding_size: expected an integer"},
      {"\"mean\"", "\"max\"", "pooling: expected one of \"mean\", \"sum\""},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(ParseModelConfig(With(kClassifier, c[0], c[1])),
                Refused(StrCat("model.json: ")))
        << c[1];
    EXPECT_THAT(ParseModelConfig(With(kClassifier, c[0], c[1])), Refused(c[2]));
  }
}

TEST(ModelConfig, TaggerFaults_NameTheKey) {
  const std::vector<std::vector<std::string_view>> cases = {
      {"0.05", "1", "word_dropout: expected a number >= 0 and < 1, got 1"},
      {"0.05", "-0.1", "word_dropout: expected a number"},
      {"0.05", "true", "word_dropout: expected a number"},
      {"true", "1", "rnn.bidirectional: expected true or false, got 1"},
      {"\"num_layers\": 1", "\"num_layers\": 65", "rnn.num_layers: expected"},
      {"\"lstm\"", "\"gru\"", "rnn.type: expected one of \"lstm\""},
      {"\"num_tags\"", "\"num_labels\"", "num_tags: is missing"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(ParseModelConfig(With(kTagger, c[0], c[1])), Refused(c[2]));
  }
  EXPECT_THAT(ParseModelConfig(R"({"model":"sequence_tagger","rnn":[],)"
                               R"("embeddings":{"type":"one_hot",)"
                               R"("num_embeddings":1,"embedding_size":1}})"),
              Refused("rnn: expected an object, got []"));
}

TEST(ModelConfig, TextsThatAreNoObject_AreRefused) {
  EXPECT_THAT(ParseModelConfig(""), Refused("not JSON"));
  EXPECT_THAT(ParseModelConfig("[]"), Refused("expected a JSON object"));
  EXPECT_THAT(ParseModelConfig("{} {}"), Refused("not JSON"));
  EXPECT_THAT(ParseModelConfig("{\"model\": \"\xff\"}"), Refused("not JSON"));
  EXPECT_THAT(ParseModelConfig("{\"model\": 1e999}"), Refused("not JSON"));
  EXPECT_THAT(ParseModelConfig(std::string(100'000, ' ')),
              Refused("the limit is 65536"));
  EXPECT_THAT(ParseModelConfig("{\"a\":" + std::string(60'000, '[')),
              Refused("not JSON"));
}

TEST(ModelConfig, KeysTwiceAndDeepNesting_AreRefused) {
  EXPECT_THAT(ParseModelConfig(With(kClassifier, "\"num_labels\": 7",
                                    "\"num_labels\": 7, \"num_labels\": 8")),
              Refused("key \"num_labels\" is there twice"));
  EXPECT_THAT(ParseModelConfig(
                  With(kClassifier, "\"size\": 2", "\"size\": 2, \"size\": 2")),
              Refused("key \"size\" is there twice"));
  EXPECT_THAT(ParseModelConfig(With(kClassifier, "7", "[[[[[[[[[7]]]]]]]]]")),
              Refused("nested too deeply"));
}

TEST(TrainingConfig, Json_IsCanonical) {
  EXPECT_EQ(ToJson(TrainingConfig{
                .batch_size = 16,
                .loss = LossReduction::kMean,
                .optimizer = SgdConfig{.momentum = 0.9, .nesterov = true}}),
            kSgd);
  EXPECT_EQ(ToJson(TrainingConfig{
                .optimizer = AdamConfig{.weight_decay = 0.1,
                                        .decoupled_weight_decay = true},
                .max_grad_norm = 5}),
            kAdamW);
}

TEST(TrainingConfig, Json_RoundTrips) {
  const std::string adam = With(kAdamW, "adamw", "adam");
  for (const std::string& json :
       {std::string(kSgd), std::string(kAdamW), adam}) {
    ASSERT_OK_AND_ASSIGN(const TrainingConfig config,
                         ParseTrainingConfig(json));
    EXPECT_EQ(ToJson(config), json);
  }
}

TEST(TrainingConfig, WholeNumbers_AreNumbers) {
  ASSERT_OK_AND_ASSIGN(const TrainingConfig config,
                       ParseTrainingConfig(With(kAdamW, "5.0", "5")));

  EXPECT_EQ(ToJson(config), kAdamW);
}

TEST(TrainingConfig, Faults_NameTheKey) {
  const std::vector<std::vector<std::string_view>> cases = {
      {"\"batch_size\": 16", "\"batch_size\": 0",
       "training.json: batch_size: "},
      {"64", "1073741825", "eval_batch_size: expected an integer from 1"},
      {"\"mean\"", "\"MEAN\"", "loss: expected one of \"sum\", \"mean\""},
      {"\"sgd\"", "\"adagrad\"", "optimizer.type: expected one of \"sgd\""},
      {"\"sgd\"", "\"adam\"", "optimizer.beta1: is missing"},
      {"0.9", "1.0", "optimizer.momentum: expected a number"},
      {"0.9", "0", "optimizer.nesterov: expected a momentum above 0"},
      {"0.0", "-1", "optimizer.weight_decay: expected a number >= 0"},
      {"null", "0", "max_grad_norm: expected a number"},
      {"null", "\"inf\"", "max_grad_norm: expected a number"},
      {"\"max_grad_norm\": null", "\"x\": null", "max_grad_norm: is missing"},
      {"true", "true, \"eps\": 1", "optimizer.eps: unknown key"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(ParseTrainingConfig(With(kSgd, c[0], c[1])), Refused(c[2]));
  }
}

TEST(TrainingConfigDeathTest, InfiniteNumber_IsNotWritten) {
  const TrainingConfig config{.max_grad_norm = HUGE_VAL};
  EXPECT_DEATH(ToJson(config), "training.json");
}

}  // namespace
}  // namespace meanfield

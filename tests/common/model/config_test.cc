#include <cmath>
#include <string>
#include <string_view>
#include <variant>
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
  "embeddings": [
    {
      "type": "one_hot",
      "num_embeddings": 1000,
      "embedding_size": 64
    }
  ],
  "document": {
    "type": "bag",
    "ngrams": {
      "size": 2,
      "buckets": 262144
    },
    "pooling": "mean"
  },
  "num_labels": 7,
  "multi_label": false,
  "label_weights": []
}
)";

constexpr char kRecurrent[] = R"({
  "model": "text_classifier",
  "embeddings": [
    {
      "type": "word_vectors",
      "num_embeddings": 1000,
      "embedding_size": 50,
      "fine_tune": true
    }
  ],
  "document": {
    "type": "rnn",
    "rnn": {
      "type": "gru",
      "hidden_size": 128,
      "num_layers": 2,
      "bidirectional": false
    },
    "reproject_words_dimension": null,
    "dropout": 0.5,
    "word_dropout": 0.0,
    "locked_dropout": 0.0
  },
  "num_labels": 2,
  "multi_label": true,
  "label_weights": [
    1.0,
    2.5
  ]
}
)";

constexpr char kTagger[] = R"({
  "model": "sequence_tagger",
  "embeddings": [
    {
      "type": "one_hot",
      "num_embeddings": 500,
      "embedding_size": 100
    },
    {
      "type": "characters",
      "num_characters": 80,
      "embedding_size": 25,
      "hidden_size": 30
    }
  ],
  "rnn": {
    "type": "lstm",
    "hidden_size": 256,
    "num_layers": 1,
    "bidirectional": true
  },
  "crf": true,
  "dropout": 0.0,
  "word_dropout": 0.05,
  "locked_dropout": 0.5,
  "num_tags": 9,
  "label_weights": []
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
  "max_grad_norm": null,
  "micro_batch_size": null,
  "decoder_learning_rate_factor": 1.0,
  "precision": "f32"
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
  "max_grad_norm": 5.0,
  "micro_batch_size": 8,
  "decoder_learning_rate_factor": 10.0,
  "precision": "bf16"
}
)";

ModelConfig Recurrent() {
  return {TextClassifierConfig{
      .embeddings = {WordEmbeddings{
          .num_embeddings = 1000, .embedding_size = 50, .fine_tune = true}},
      .document = DocumentRnnConfig{.rnn = {.type = RnnType::kGru,
                                            .hidden_size = 128,
                                            .num_layers = 2,
                                            .bidirectional = false}},
      .num_labels = 2,
      .multi_label = true,
      .label_weights = {1, 2.5}}};
}

TEST(ModelConfig, Json_IsCanonical) {
  EXPECT_EQ(ToJson(ModelConfig{TextClassifierConfig{
                .embeddings = {OneHotEmbeddings{.num_embeddings = 1000,
                                                .embedding_size = 64}},
                .document = BagConfig{.ngram_size = 2, .ngram_buckets = 262144},
                .num_labels = 7}}),
            kClassifier);
  EXPECT_EQ(ToJson(Recurrent()), kRecurrent);
  EXPECT_EQ(ToJson(ModelConfig{SequenceTaggerConfig{
                .embeddings = {OneHotEmbeddings{.num_embeddings = 500,
                                                .embedding_size = 100},
                               CharacterEmbeddings{.num_characters = 80,
                                                   .hidden_size = 30}},
                .crf = true,
                .num_tags = 9}}),
            kTagger);
}

TEST(ModelConfig, Json_RoundTrips) {
  for (const char* json : {kClassifier, kRecurrent, kTagger}) {
    ASSERT_OK_AND_ASSIGN(const ModelConfig config, ParseModelConfig(json));
    EXPECT_EQ(ToJson(config), json);
  }
}

TEST(ModelConfig, ReprojectedWords_RoundTrip) {
  ModelConfig config = Recurrent();
  auto& classifier = std::get<TextClassifierConfig>(config.model);
  std::get<DocumentRnnConfig>(classifier.document).reproject_words_dimension =
      77;

  ASSERT_OK_AND_ASSIGN(const ModelConfig back,
                       ParseModelConfig(ToJson(config)));

  EXPECT_EQ(back, config);
}

TEST(ModelConfig, ManyLabelWeights_RoundTrip) {
  ModelConfig config = Recurrent();
  auto& classifier = std::get<TextClassifierConfig>(config.model);
  classifier.num_labels = 50'000;
  classifier.label_weights.assign(50'000, 1.0 / 3);

  ASSERT_OK_AND_ASSIGN(const ModelConfig back,
                       ParseModelConfig(ToJson(config)));

  EXPECT_EQ(back, config);
}

TEST(ModelConfig, VectorSize_IsOfTheVectorOfAWord) {
  EXPECT_EQ(VectorSize(OneHotEmbeddings{.embedding_size = 7}), 7);
  EXPECT_EQ(VectorSize(WordEmbeddings{.embedding_size = 50}), 50);
  EXPECT_EQ(VectorSize(CharacterEmbeddings{}), 50);
}

TEST(ModelConfig, OddNumbers_RoundTripToTheLastBit) {
  const ModelConfig config{
      SequenceTaggerConfig{.embeddings = {OneHotEmbeddings{
                               .num_embeddings = 1, .embedding_size = 1}},
                           .num_tags = 2,
                           .dropout = 0.1 + 0.2,
                           .word_dropout = 5e-324,
                           .locked_dropout = 0.9999999999999999,
                           .label_weights = {1e-6, 1.0 / 3}}};

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
      {"\"size\": 2", "\"size\": 0", "document.ngrams.size: expected"},
      {"\"size\": 2", "\"size\": 1",
       "ngrams.buckets: expected buckets exactly"},
      {"262144", "0", "ngrams.buckets: expected buckets exactly"},
      {"262144", "2147483647", "document: expected ids of words and"},
      {"\"buckets\"", "\"bucket\"", "ngrams.buckets: is missing"},
      {"\"one_hot\"", "\"flair\"", "embeddings[0].type: expected one of"},
      {"64", "null", "embeddings[0].embedding_size: expected an integer"},
      {"64", "64, \"fine_tune\": true", "embeddings[0].fine_tune: unknown key"},
      {"false", "0", "multi_label: expected true or false, got 0"},
      {"[]", "[1, 1]", "label_weights: expected none, or one for each of 7"},
      {"[]", "null", "label_weights: expected a list, got null"},
      {"\"bag\"", "\"rnn\"", "document.rnn: is missing"},
      {"\"mean\"", "\"max\"", "pooling: expected one of \"mean\", \"sum\""},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(ParseModelConfig(With(kClassifier, c[0], c[1])),
                Refused(StrCat("model.json: ")))
        << c[1];
    EXPECT_THAT(ParseModelConfig(With(kClassifier, c[0], c[1])), Refused(c[2]));
  }
}

TEST(ModelConfig, RecurrentFaults_NameTheKey) {
  const std::vector<std::vector<std::string_view>> cases = {
      {"\"rnn\",", "\"bag\",", "document.ngrams: is missing"},
      {"\"type\": \"gru\"", "\"type\": \"rnn\"", "document.rnn.type: exp"},
      {": null", ": 0", "document.reproject_words_dimension: expected an"},
      {": null", ": \"d\"", "document.reproject_words_dimension: expected an"},
      {"0.5", "1", "document.dropout: expected a number >= 0 and < 1, got 1"},
      {"2.5", "0", "label_weights: expected numbers >= 1e-06 and < 1e+06, got"},
      {"2.5", "null", "got null at position 1"},
      {"2.5", "2.5, 1", "label_weights: expected none, or one for each of 2"},
      {"true", "1", "embeddings[0].fine_tune: expected true or false, got 1"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(ParseModelConfig(With(kRecurrent, c[0], c[1])), Refused(c[2]));
  }
}

TEST(ModelConfig, BagOfWordVectors_IsRefused) {
  EXPECT_THAT(
      ParseModelConfig(With(With(kClassifier, "one_hot", "word_vectors"), "64",
                            "64, \"fine_tune\": true")),
      Refused("embeddings: expected exactly one with a bag, of type"));
}

TEST(ModelConfig, TaggerFaults_NameTheKey) {
  const std::vector<std::vector<std::string_view>> cases = {
      {"0.05", "1", "word_dropout: expected a number >= 0 and < 1, got 1"},
      {"0.05", "-0.1", "word_dropout: expected a number"},
      {"0.05", "true", "word_dropout: expected a number"},
      {"true", "1", "rnn.bidirectional: expected true or false, got 1"},
      {"\"num_layers\": 1", "\"num_layers\": 65", "rnn.num_layers: expected"},
      {"\"lstm\"", "\"rnn\"", "rnn.type: expected one of \"lstm\""},
      {"\"num_tags\"", "\"num_labels\"", "num_tags: is missing"},
      {"\"num_tags\": 9", "\"num_tags\": 2", "num_tags: expected an integer"},
      {"[]", "[1, 1, 1, 1, 1, 1, 1, 1, 1]", "label_weights: expected none"},
      {"80", "0", "embeddings[1].num_characters: expected an integer"},
      {"\"hidden_size\": 30", "\"hidden\": 30",
       "embeddings[1].hidden_size: is missing"},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(ParseModelConfig(With(kTagger, c[0], c[1])), Refused(c[2]));
  }
}

TEST(ModelConfig, ListsOfEmbeddings_AreChecked) {
  const auto tagger = [](std::string_view embeddings) {
    return StrCat(R"({"model":"sequence_tagger","rnn":[],"embeddings":)",
                  embeddings, "}");
  };
  const std::string characters =
      R"({"type":"characters","num_characters":1,"embedding_size":1,)"
      R"("hidden_size":1})";
  EXPECT_THAT(ParseModelConfig(tagger("{}")), Refused("expected a list, got"));
  EXPECT_THAT(ParseModelConfig(tagger("[]")),
              Refused("1 to 16 objects, got 0"));
  EXPECT_THAT(ParseModelConfig(tagger("[7]")),
              Refused("embeddings: expected a list of objects, got 7"));
  EXPECT_THAT(
      ParseModelConfig(tagger(StrCat("[", characters, ",", characters, "]"))),
      Refused("embeddings: expected one of type \"characters\""));
  EXPECT_THAT(ParseModelConfig(tagger(StrCat("[", characters, "]"))),
              Refused("rnn: expected an object, got []"));
}

TEST(ModelConfig, TextsThatAreNoObject_AreRefused) {
  EXPECT_THAT(ParseModelConfig(""), Refused("not JSON"));
  EXPECT_THAT(ParseModelConfig("[]"), Refused("expected a JSON object"));
  EXPECT_THAT(ParseModelConfig("{} {}"), Refused("not JSON"));
  EXPECT_THAT(ParseModelConfig("{\"model\": \"\xff\"}"), Refused("not JSON"));
  EXPECT_THAT(ParseModelConfig("{\"model\": 1e999}"), Refused("not JSON"));
  EXPECT_THAT(ParseModelConfig(std::string(3'000'000, ' ')),
              Refused("the limit is 2097152"));
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
                .max_grad_norm = 5,
                .micro_batch_size = 8,
                .decoder_learning_rate_factor = 10,
                .precision = Precision::kBF16}),
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
      {"\"micro_batch_size\": null", "\"micro_batch_size\": 17",
       "micro_batch_size: expected an integer from 1 to 16"},
      {"1.0", "-1", "decoder_learning_rate_factor: expected a number >= 0"},
      {"\"f32\"", "\"fp32\"", "precision: expected one of \"f32\", \"bf16\""},
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

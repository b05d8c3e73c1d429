// Units of text classifiers that give any number of labels to a text.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/worker/torch/toy_units.h"

namespace meanfield {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Gt;
using testing::ToyBag;
using testing::ToyLabelSets;
using testing::ToyRecurrentClassifier;
using testing::ToyShard;
using testing::ToyTraining;
using testing::ToyUnits;
using testing::Values;

struct Case {
  std::string name;
  ModelConfig model;
  TrainingConfig training;
  float learning_rate;
};

Case MakeCase(const std::string& name, ModelConfig model,
              std::variant<SgdConfig, AdamConfig> optimizer,
              float learning_rate) {
  auto& classifier = std::get<TextClassifierConfig>(model.model);
  classifier.multi_label = true;
  if (auto* rnn = std::get_if<DocumentRnnConfig>(&classifier.document)) {
    rnn->dropout = 0;
  } else {
    std::get<BagConfig>(classifier.document).pooling = Pooling::kSum;
  }
  TrainingConfig training = ToyTraining();
  training.optimizer = optimizer;
  return {name, model, training, learning_rate};
}

class MultiLabel : public ::testing::TestWithParam<Case> {
 protected:
  EvaluateTask Evaluation(const SafetensorsFile& weights,
                          const ToyShard& shard) {
    return {.model = GetParam().model,
            .training = ToyTraining(),
            .model_weights = &weights,
            .data = shard.view(),
            .output_path = units_.File("out")};
  }
  ToyUnits units_;
};

INSTANTIATE_TEST_SUITE_P(
    , MultiLabel,
    ::testing::Values(MakeCase("SparseBag", ToyBag(), SgdConfig{}, 0.5f),
                      MakeCase("Bag", ToyBag(), AdamConfig{}, 0.05f),
                      MakeCase("Recurrent", ToyRecurrentClassifier(),
                               AdamConfig{}, 0.02f)),
    [](const auto& info) { return info.param.name; });

TEST_P(MultiLabel, Trained_PredictsEverySetOfLabels) {
  const ToyShard shard = ToyLabelSets(40);
  TrainTask task =
      units_.Task(GetParam().model, units_.Initial(GetParam().model),
                  shard.view(), 500, "update");
  task.training = GetParam().training;
  task.lr_first = task.lr_last = GetParam().learning_rate;
  ASSERT_OK(units_.Train(task));

  ASSERT_OK(units_.Evaluate(Evaluation(units_.Open("update"), shard)));

  const SafetensorsFile& out = units_.Open("out");
  EXPECT_EQ(Values<int32_t>(out, "predictions"), shard.labels);
  EXPECT_EQ(Values<int64_t>(out, "prediction_offsets"), shard.label_offsets);
  EXPECT_THAT(Values<int64_t>(out, "batch_items"), Each(4));
}

TEST_P(MultiLabel, Predict_GivesAProbabilityToEachLabel) {
  ToyShard shard = ToyLabelSets(9);
  shard.labels.clear();
  shard.label_offsets.clear();
  EvaluateTask task = Evaluation(units_.Initial(GetParam().model), shard);
  task.with_loss = false;

  ASSERT_OK(units_.Evaluate(task));

  const SafetensorsFile& out = units_.Open("out");
  const auto offsets = Values<int64_t>(out, "prediction_offsets");
  ASSERT_EQ(offsets.size(), 10);
  EXPECT_EQ(Values<int32_t>(out, "predictions").size(), offsets.back());
  const auto probabilities = Values<float>(out, "probabilities");
  EXPECT_EQ(probabilities.size(), offsets.back());
  EXPECT_THAT(probabilities, Each(Gt(0.5f)));
  EXPECT_EQ(out.Find("batch_loss"), nullptr);
}

TEST_P(MultiLabel, EmptyShard_HasOneOffset) {
  ToyShard empty;
  empty.label_offsets = {0};

  ASSERT_OK(
      units_.Evaluate(Evaluation(units_.Initial(GetParam().model), empty)));

  EXPECT_THAT(Values<int64_t>(units_.Open("out"), "prediction_offsets"),
              ElementsAre(0));
}

}  // namespace
}  // namespace meanfield

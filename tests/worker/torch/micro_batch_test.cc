// Gradient accumulation: a step in several passes is the step of one pass.

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/worker/torch/toy_units.h"

namespace meanfield {
namespace {

using testing::ToyBag;
using testing::ToyLabelSets;
using testing::ToyRecurrentClassifier;
using testing::ToySentences;
using testing::ToyShard;
using testing::ToyTagger;
using testing::ToyTexts;
using testing::ToyUnits;
using testing::Values;

struct Case {
  std::string name;
  ModelConfig model;
  ToyShard shard;
};

ModelConfig Recurrent(RnnType type, bool bidirectional) {
  ModelConfig model = ToyRecurrentClassifier(
      {.type = type, .hidden_size = 10, .bidirectional = bidirectional});
  auto& classifier = std::get<TextClassifierConfig>(model.model);
  std::get<DocumentRnnConfig>(classifier.document).dropout = 0;
  return model;
}

ModelConfig Tagger(bool crf) {
  ModelConfig model = ToyTagger();
  auto& tagger = std::get<SequenceTaggerConfig>(model.model);
  tagger.word_dropout = tagger.locked_dropout = 0;
  tagger.crf = crf;
  if (crf) tagger.num_tags += 2;
  return model;
}

template <typename Config>
ModelConfig Weighted(ModelConfig model, std::vector<double> weights) {
  std::get<Config>(model.model).label_weights = std::move(weights);
  return model;
}

ModelConfig MultiLabel(ModelConfig model) {
  std::get<TextClassifierConfig>(model.model).multi_label = true;
  return model;
}

std::vector<Case> Cases() {
  const ModelConfig lstm = Recurrent(RnnType::kLstm, /*bidirectional=*/true);
  return {
      {"Bag", ToyBag(), ToyTexts(40)},
      {"Lstm", lstm, ToyTexts(40)},
      {"Gru", Recurrent(RnnType::kGru, /*bidirectional=*/false), ToyTexts(40)},
      {"WeightedLstm", Weighted<TextClassifierConfig>(lstm, {0.5, 2, 3}),
       ToyTexts(40)},
      {"MultiLabelLstm", MultiLabel(lstm), ToyLabelSets(40)},
      {"Tagger", Tagger(/*crf=*/false), ToySentences(40)},
      {"WeightedTagger",
       Weighted<SequenceTaggerConfig>(Tagger(/*crf=*/false), {0.5, 3}),
       ToySentences(40)},
      {"CrfTagger", Tagger(/*crf=*/true), ToySentences(40)},
  };
}

class MicroBatch : public ::testing::TestWithParam<Case> {
 protected:
  // The update of two steps, each in passes of `pass` samples.
  const SafetensorsFile& Train(TrainingConfig training,
                               std::optional<int64_t> pass) {
    training.batch_size = 8;
    training.micro_batch_size = pass;
    const SafetensorsFile& initial = units_.Initial(GetParam().model);
    TrainTask task = units_.Task(GetParam().model, initial,
                                 GetParam().shard.view(), 2, "update");
    task.training = training;
    task.lr_first = task.lr_last = 0.1f;
    const absl::StatusOr<TrainOutcome> outcome = units_.Train(task);
    EXPECT_OK(outcome);
    loss_ = outcome.ok() ? outcome->loss_sum : std::nan("");
    return units_.Open("update");
  }

  ToyUnits units_;
  double loss_ = 0;
};

INSTANTIATE_TEST_SUITE_P(, MicroBatch, ::testing::ValuesIn(Cases()),
                         [](const auto& info) { return info.param.name; });

void ExpectNear(const SafetensorsFile& a, const SafetensorsFile& b) {
  for (const TensorView& tensor : a.tensors()) {
    const auto x = Values<float>(a, tensor.spec.name);
    const auto y = Values<float>(b, tensor.spec.name);
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_NEAR(x[i], y[i], 2e-6) << tensor.spec.name << " " << i;
    }
  }
}

TEST_P(MicroBatch, SumLossAndClip_SameStepWithinRounding) {
  const TrainingConfig training{.max_grad_norm = 0.5};
  const SafetensorsFile& whole = Train(training, std::nullopt);
  const double loss = loss_;
  for (const int64_t pass : {1, 3, 7}) {
    ExpectNear(whole, Train(training, pass));
    EXPECT_NEAR(loss_, loss, 1e-4);
  }
}

TEST_P(MicroBatch, MeanLoss_IsTheMeanOverTheWholeBatch) {
  const TrainingConfig training{.loss = LossReduction::kMean};
  const SafetensorsFile& whole = Train(training, std::nullopt);

  ExpectNear(whole, Train(training, 3));
}

// Dense gradients of tables.
TEST_P(MicroBatch, Momentum_SameStepWithinRounding) {
  const TrainingConfig training{
      .loss = LossReduction::kMean,
      .optimizer = SgdConfig{.momentum = 0.9, .weight_decay = 0.01}};
  const SafetensorsFile& whole = Train(training, std::nullopt);

  ExpectNear(whole, Train(training, 2));
}

TEST_P(MicroBatch, LargerThanTheBatch_SameBits) {
  const TrainingConfig training;
  Train(training, std::nullopt);
  const std::string whole = units_.Bytes("update");

  Train(training, 8);

  EXPECT_EQ(units_.Bytes("update"), whole);
}

}  // namespace
}  // namespace meanfield

// Losses and predictions of text classifiers, on a model whose scores are
// known: a bag of one-word texts with the decoder's weight at zero, so that the
// bias is the score.

#include <cmath>
#include <memory>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/worker/torch/toy_units.h"
#include "worker/torch/autograd_model.h"
#include "worker/torch/sparse_bag.h"

namespace meanfield {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::IsEmpty;
using testing::TemporaryFolder;

const std::vector<float> kScores = {2, -1, 0.5f};

TextClassifierConfig Config(bool multi_label, std::vector<double> weights) {
  return {.embeddings = {OneHotEmbeddings{.num_embeddings = 2,
                                          .embedding_size = 1}},
          .document = BagConfig{},
          .num_labels = 3,
          .multi_label = multi_label,
          .label_weights = std::move(weights)};
}

// Both implementations: our loops, and autograd.
class LabelLoss : public ::testing::TestWithParam<bool> {
 protected:
  std::unique_ptr<LocalModel> Make(const TextClassifierConfig& config,
                                   const TrainingConfig& training = {}) {
    std::unique_ptr<LocalModel> model;
    if (GetParam()) {
      model = std::make_unique<SparseBag>(config, training);
    } else {
      model = MakeAutogradModel({config}, training, {.name = "cpu"});
    }
    const std::vector<float> table(2);
    const std::vector<float> weight(3);
    const auto view = [](const char* name, std::vector<int64_t> shape,
                         const std::vector<float>& values) {
      return TensorView{.spec = {.name = name, .shape = std::move(shape)},
                        .bytes = std::as_bytes(std::span(values))};
    };
    EXPECT_OK(WriteSafetensors(
        folder_.File("weights"),
        {view("embeddings.embedding_layer.weight", {2, 1}, table),
         view("decoder.weight", {3, 1}, weight),
         view("decoder.bias", {3}, kScores)}));
    file_ = std::make_unique<SafetensorsFile>(
        SafetensorsFile::Open(folder_.File("weights")).value());
    model->Load({file_.get()});
    return model;
  }

  // The bias after a step of rate 1.
  std::vector<float> Bias(const LocalModel& model) {
    EXPECT_OK(model.Save(folder_.File("after")));
    return testing::Values<float>(
        SafetensorsFile::Open(folder_.File("after")).value(), "decoder.bias");
  }

  Predictions Predict(LocalModel& model, const Batch& batch) {
    Predictions predictions;
    model.Predict(batch, predictions);
    return predictions;
  }

  TemporaryFolder folder_;
  std::unique_ptr<SafetensorsFile> file_;
};

INSTANTIATE_TEST_SUITE_P(, LabelLoss, ::testing::Bool(), [](const auto& info) {
  return info.param ? "SparseBag" : "Autograd";
});

Batch TwoTexts(std::vector<int32_t> targets,
               std::vector<int64_t> target_offsets = {}) {
  return {.ids = {0, 1},
          .offsets = {0, 1, 2},
          .targets = std::move(targets),
          .target_offsets = std::move(target_offsets),
          .num_items = 2};
}

double CrossEntropy(size_t label) {
  double sum = 0;
  for (const float score : kScores) sum += std::exp(score);
  return std::log(sum) - kScores[label];
}

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST_P(LabelLoss, LabelWeights_ScaleTheCrossEntropy) {
  const auto model = Make(Config(false, {0.5, 2, 1}));

  const Predictions predictions = Predict(*model, TwoTexts({0, 1}));

  EXPECT_THAT(predictions.classes, ElementsAre(0, 0));
  EXPECT_THAT(predictions.class_offsets, IsEmpty());
  EXPECT_THAT(predictions.losses,
              ElementsAre(FloatNear(0.5 * CrossEntropy(0), 1e-6),
                          FloatNear(2 * CrossEntropy(1), 1e-6)));
}

TEST_P(LabelLoss, WeightedMean_IsDividedByTheWeights) {
  const auto model =
      Make(Config(false, {0.5, 2, 1}), {.loss = LossReduction::kMean});

  const LossSum loss = model->Step(TwoTexts({0, 1}), 1);

  EXPECT_NEAR(loss.sum, 0.5 * CrossEntropy(0) + 2 * CrossEntropy(1), 1e-5);
  EXPECT_EQ(loss.count, 2);
  // PyTorch: Σ w (p - y) / Σ w
  const double p1 = std::exp(-CrossEntropy(1));
  EXPECT_NEAR(Bias(*model)[1], kScores[1] - (2.5 * p1 - 2) / 2.5, 1e-5);
}

TEST_P(LabelLoss, AllWeightsZero_ChangeNothing) {
  const auto model =
      Make(Config(false, {0, 0, 1}), {.loss = LossReduction::kMean});

  EXPECT_EQ(model->Step(TwoTexts({0, 1}), 1).sum, 0);

  EXPECT_EQ(Bias(*model), kScores);
}

TEST_P(LabelLoss, MultiLabel_PredictsEveryLabelAboveOneHalf) {
  const auto model = Make(Config(true, {}));

  const Predictions predictions = Predict(*model, TwoTexts({}));

  EXPECT_THAT(predictions.classes, ElementsAre(0, 2, 0, 2));
  EXPECT_THAT(predictions.class_offsets, ElementsAre(0, 2, 4));
  EXPECT_NEAR(predictions.probabilities[1], Sigmoid(0.5), 1e-6);
  EXPECT_THAT(predictions.losses, IsEmpty());
}

TEST_P(LabelLoss, MultiLabel_LossIsTheSumOverLabels) {
  const auto model = Make(Config(true, {1, 3, 1}));

  // The second text has no label.
  const Predictions predictions = Predict(*model, TwoTexts({0, 1}, {0, 2, 2}));

  EXPECT_THAT(
      predictions.losses,
      ElementsAre(FloatNear(-std::log(Sigmoid(2)) - 3 * std::log(Sigmoid(-1)) -
                                std::log(Sigmoid(-0.5)),
                            1e-5),
                  FloatNear(-std::log(Sigmoid(-2)) - 3 * std::log(Sigmoid(1)) -
                                std::log(Sigmoid(-0.5)),
                            1e-5)));
}

TEST_P(LabelLoss, MultiLabelMean_IsDividedByTheTexts) {
  const auto model =
      Make(Config(true, {1, 3, 1}), {.loss = LossReduction::kMean});

  const LossSum loss = model->Step(TwoTexts({0, 1}, {0, 2, 2}), 1);

  EXPECT_EQ(loss.count, 2);
  const std::vector<float> bias = Bias(*model);
  EXPECT_NEAR(bias[0], 2 - (2 * Sigmoid(2) - 1) / 2, 1e-5);
  EXPECT_NEAR(bias[1], -1 - 3 * (2 * Sigmoid(-1) - 1) / 2, 1e-5);
  EXPECT_NEAR(bias[2], 0.5 - Sigmoid(0.5), 1e-5);
}

TEST_P(LabelLoss, TextsWithoutAnyLabel_AreTrainedOn) {
  const auto model = Make(Config(true, {}));

  const LossSum loss = model->Step(TwoTexts({}, {0, 0, 0}), 1);

  EXPECT_GT(loss.sum, 0);
  EXPECT_LT(Bias(*model)[0], kScores[0]);
}

TEST_P(LabelLoss, DecoderFactor_ScalesItsStep) {
  const auto model =
      Make(Config(false, {}), {.decoder_learning_rate_factor = 3});
  const auto plain = Make(Config(false, {}));
  model->Step(TwoTexts({1, 1}), 0.1f);
  const std::vector<float> fast = Bias(*model);
  plain->Step(TwoTexts({1, 1}), 0.1f);

  EXPECT_NEAR(fast[1] - kScores[1], 3 * (Bias(*plain)[1] - kScores[1]), 1e-5);
}

}  // namespace
}  // namespace meanfield

// What the trainer computes against loops as one writes them with LibTorch.

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/worker/torch/plain_crf_tagger.h"
#include "tests/worker/torch/plain_models.h"
#include "tests/worker/torch/toy_units.h"

namespace meanfield {
namespace {

using testing::LoadPlainly;
using testing::PlainBag;
using testing::PlainCrfTagger;
using testing::PlainTagger;
using testing::RecurrentLayers;
using testing::ToyBag;
using testing::ToyCrfTagger;
using testing::ToySentences;
using testing::ToyShard;
using testing::ToySpelledSentences;
using testing::ToyTagger;
using testing::ToyTexts;
using testing::ToyUnits;
using testing::TrainPlainly;
using testing::Values;

// LibTorch's modules and optimizer around the worker's recurrent layers.
class PlainTaggerLoop : public ::testing::TestWithParam<RnnType> {};

INSTANTIATE_TEST_SUITE_P(, PlainTaggerLoop,
                         ::testing::Values(RnnType::kLstm, RnnType::kGru));

TEST_P(PlainTaggerLoop, TrainedOnOneShard_SameBits) {
  ToyUnits units;
  const ToyShard shard = ToySentences(45);
  ModelConfig model = ToyTagger();
  auto& tagger = std::get<SequenceTaggerConfig>(model.model);
  tagger.rnn.type = GetParam();
  const SafetensorsFile& initial = units.Initial(model);
  TrainTask task = units.Task(model, initial, shard.view(), 30, "ours");
  task.first_step = 3;
  task.lr_last = 0.1f;
  PlainTagger plain(tagger, /*sparse=*/false, RecurrentLayers::kWorkers);
  LoadPlainly(plain, initial);

  ASSERT_OK(units.Train(task));
  TrainPlainly(plain, task, shard);

  const SafetensorsFile& ours = units.Open("ours");
  for (const auto& parameter : plain.named_parameters()) {
    const auto values = Values<float>(ours, parameter.key());
    EXPECT_EQ(0, std::memcmp(values.data(), parameter.value().data_ptr<float>(),
                             values.size() * sizeof(float)))
        << parameter.key();
  }
}

// Weights after some steps, against those of a module that computes the same
// within rounding.
template <typename Module>
void ExpectNearPlainLoop(ToyUnits& units, const TrainTask& task,
                         const ToyShard& shard, Module&& plain,
                         double tolerance) {
  LoadPlainly(plain, *task.global_model);

  ASSERT_OK(units.Train(task));
  TrainPlainly(plain, task, shard);

  const SafetensorsFile& ours = units.Open("ours");
  for (const auto& parameter : plain.named_parameters()) {
    const auto values = Values<float>(ours, parameter.key());
    const float* theirs = parameter.value().template data_ptr<float>();
    for (size_t i = 0; i < values.size(); ++i) {
      ASSERT_NEAR(values[i], theirs[i], tolerance)
          << parameter.key() << " " << i;
    }
  }
}

TEST_P(PlainTaggerLoop, WithLibTorchsLayers_SameWeightsWithinRounding) {
  ToyUnits units;
  const ToyShard shard = ToySentences(45);
  ModelConfig model = ToyTagger();
  auto& tagger = std::get<SequenceTaggerConfig>(model.model);
  tagger.rnn.type = GetParam();
  ExpectNearPlainLoop(
      units, units.Task(model, units.Initial(model), shard.view(), 30, "ours"),
      shard, PlainTagger(tagger, /*sparse=*/false), 1e-5);
}

TEST(PlainLoop, ClippedCrfTaggerWithCharacters_SameWeightsWithinRounding) {
  ToyUnits units;
  const ToyShard shard = ToySpelledSentences(45);
  TrainTask task = units.Task(ToyCrfTagger(), units.Initial(ToyCrfTagger()),
                              shard.view(), 30, "ours");
  task.training.loss = LossReduction::kSum;
  task.training.max_grad_norm = 5;
  task.lr_first = task.lr_last = 0.1;
  ExpectNearPlainLoop(
      units, task, shard,
      PlainCrfTagger(std::get<SequenceTaggerConfig>(ToyCrfTagger().model),
                     /*sparse=*/false),
      2e-4);
}

TEST(PlainLoop, ClippedTagger_SameWeightsWithinRounding) {
  ToyUnits units;
  const ToyShard shard = ToySentences(45);
  TrainTask task = units.Task(ToyTagger(), units.Initial(ToyTagger()),
                              shard.view(), 30, "ours");
  task.training.max_grad_norm = 0.1;
  ExpectNearPlainLoop(
      units, task, shard,
      PlainTagger(std::get<SequenceTaggerConfig>(ToyTagger().model),
                  /*sparse=*/false),
      1e-6);
}

TEST(PlainLoop, FirstTaggerWeights_HaveTheModulesScales) {
  ToyUnits units;
  const SafetensorsFile& initial = units.Initial(ToyTagger());
  PlainTagger plain(std::get<SequenceTaggerConfig>(ToyTagger().model),
                    /*sparse=*/false);

  for (const auto& parameter : plain.named_parameters()) {
    const auto values = Values<float>(initial, parameter.key());
    double squares = 0;
    for (const float value : values) squares += double{value} * value;
    const double ours = std::sqrt(squares / values.size());
    const double theirs =
        parameter.key() == "embeddings.embedding_layer.weight"
            ? std::sqrt(2.0 / (30 + 12))  // Flair draws it by Xavier's rule
            : parameter.value().square().mean().sqrt().item<double>();
    EXPECT_NEAR(ours, theirs, 0.5 * theirs) << parameter.key();
  }
}

// One step with a rate of 1 shows the gradient; many steps show that nothing
// piles up.
class BagAgainstAutograd
    : public ::testing::TestWithParam<std::tuple<Pooling, double, int>> {};

INSTANTIATE_TEST_SUITE_P(, BagAgainstAutograd,
                         ::testing::Combine(::testing::Values(Pooling::kMean,
                                                              Pooling::kSum),
                                            ::testing::Values(0.0, 0.05, 100.0),
                                            ::testing::Values(1, 60)));

TEST_P(BagAgainstAutograd, PlainSgd_SameWeightsWithinRounding) {
  const auto [pooling, max_grad_norm, steps] = GetParam();
  ToyUnits units;
  const ToyShard shard = ToyTexts(45);
  ModelConfig model = ToyBag();
  std::get<BagConfig>(std::get<TextClassifierConfig>(model.model).document)
      .pooling = pooling;
  // A few steps away from the start, where the decoder is zero.
  ASSERT_OK(units.Train(
      units.Task(model, units.Initial(model), shard.view(), 20, "start")));
  const SafetensorsFile& start = units.Open("start");
  TrainTask task = units.Task(model, start, shard.view(), steps, "ours");
  task.lr_first = task.lr_last = 1;
  if (max_grad_norm > 0) task.training.max_grad_norm = max_grad_norm;
  PlainBag plain(std::get<TextClassifierConfig>(model.model), /*sparse=*/false);
  LoadPlainly(plain, start);

  ASSERT_OK(units.Train(task));
  TrainPlainly(plain, task, shard);

  const SafetensorsFile& ours = units.Open("ours");
  for (const auto& parameter : plain.named_parameters()) {
    const auto values = Values<float>(ours, parameter.key());
    const float* theirs = parameter.value().data_ptr<float>();
    for (size_t i = 0; i < values.size(); ++i) {
      ASSERT_NEAR(values[i], theirs[i], 1e-6 * (steps == 1 ? 1 : 50))
          << parameter.key() << " " << i;
    }
  }
}

}  // namespace
}  // namespace meanfield

#include "worker/torch/torch_trainer.h"

#include <cmath>
#include <stop_token>
#include <string>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/worker/torch/toy_units.h"

namespace meanfield {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::StatusIs;
using testing::ToyBag;
using testing::ToyCrfTagger;
using testing::ToyRecurrentClassifier;
using testing::ToySentences;
using testing::ToyShard;
using testing::ToySpelledSentences;
using testing::ToyTagger;
using testing::ToyTexts;
using testing::ToyTraining;
using testing::ToyUnits;
using testing::Values;

struct Case {
  std::string name;
  ModelConfig model;
  ToyShard shard;
};

Case BagCase() { return {"Bag", ToyBag(), ToyTexts(40)}; }
Case TaggerCase() { return {"Tagger", ToyTagger(), ToySentences(40)}; }
Case CrfTaggerCase() {
  return {"CrfTagger", ToyCrfTagger(), ToySpelledSentences(40)};
}
Case RecurrentCase() {
  return {"Recurrent", ToyRecurrentClassifier(), ToyTexts(40)};
}

ModelConfig WithoutDropout(ModelConfig model) {
  if (auto* tagger = std::get_if<SequenceTaggerConfig>(&model.model)) {
    tagger->dropout = tagger->word_dropout = tagger->locked_dropout = 0;
    return model;
  }
  auto& classifier = std::get<TextClassifierConfig>(model.model);
  if (auto* rnn = std::get_if<DocumentRnnConfig>(&classifier.document)) {
    rnn->dropout = rnn->word_dropout = rnn->locked_dropout = 0;
  }
  return model;
}

// Behaviour that every model shares.
class EveryModel : public ::testing::TestWithParam<Case> {
 protected:
  const ModelConfig& model() const { return GetParam().model; }
  EncodedShard data() const { return GetParam().shard.view(); }
  ToyUnits units_;
};

INSTANTIATE_TEST_SUITE_P(, EveryModel,
                         ::testing::Values(BagCase(), TaggerCase(),
                                           CrfTaggerCase(), RecurrentCase()),
                         [](const auto& info) { return info.param.name; });

TEST_P(EveryModel, SameSeed_SameFirstModel) {
  ASSERT_OK(units_.trainer().Initialize(model(), 3, {}, units_.File("a")));
  ASSERT_OK(units_.trainer().Initialize(model(), 3, {}, units_.File("b")));
  ASSERT_OK(units_.trainer().Initialize(model(), 4, {}, units_.File("c")));

  EXPECT_EQ(units_.Bytes("a"), units_.Bytes("b"));
  EXPECT_NE(units_.Bytes("a"), units_.Bytes("c"));
}

TEST_P(EveryModel, SameTask_SameBytes) {
  const SafetensorsFile& initial = units_.Initial(model());

  ASSERT_OK(units_.Train(units_.Task(model(), initial, data(), 12, "a")));
  ASSERT_OK(units_.Train(units_.Task(model(), initial, data(), 12, "b")));

  EXPECT_EQ(units_.Bytes("a"), units_.Bytes("b"));
  EXPECT_NE(units_.Bytes("a"), units_.Bytes("initial"));
}

TEST_P(EveryModel, NoSteps_ReturnsTheModelItself) {
  const SafetensorsFile& initial = units_.Initial(model());

  ASSERT_OK(units_.Train(units_.Task(model(), initial, data(), 0, "a")));

  EXPECT_EQ(units_.Bytes("a"), units_.Bytes("initial"));
}

TEST_P(EveryModel, AnotherOrderSeed_OtherBytes) {
  const SafetensorsFile& initial = units_.Initial(model());
  TrainTask task = units_.Task(model(), initial, data(), 3, "a");
  ASSERT_OK(units_.Train(task));
  task.order_seed += 1;
  task.output_path = units_.File("b");

  ASSERT_OK(units_.Train(task));

  EXPECT_NE(units_.Bytes("a"), units_.Bytes("b"));
}

TEST_P(EveryModel, EveryOptimizer_LowersTheLoss) {
  const SafetensorsFile& initial = units_.Initial(model());
  const std::vector<std::tuple<std::variant<SgdConfig, AdamConfig>, float>>
      optimizers = {
          {SgdConfig{}, 1},
          {SgdConfig{.momentum = 0.9, .weight_decay = 1e-4, .nesterov = true},
           0.1},
          {AdamConfig{.weight_decay = 1e-4}, 0.02},
          {AdamConfig{.weight_decay = 0.01, .decoupled_weight_decay = true},
           0.02}};
  for (const auto& [optimizer, learning_rate] : optimizers) {
    TrainTask task = units_.Task(model(), initial, data(), 5, "early");
    task.training.optimizer = optimizer;
    task.training.max_grad_norm = 5;
    task.lr_first = task.lr_last = learning_rate;
    ASSERT_OK_AND_ASSIGN(const TrainOutcome early, units_.Train(task));
    task.num_steps = 300;

    ASSERT_OK_AND_ASSIGN(const TrainOutcome late, units_.Train(task));

    EXPECT_LT(late.loss_sum / static_cast<double>(late.loss_count),
              0.8 * early.loss_sum / static_cast<double>(early.loss_count));
  }
}

TEST_P(EveryModel, Outcome_CountsOneEpoch) {
  const SafetensorsFile& initial = units_.Initial(model());
  int64_t words = 0;
  const bool bag = GetParam().name == "Bag";  // with n-grams behind the words
  for (const int32_t id : data().ids) words += !bag || id < 50;

  ASSERT_OK_AND_ASSIGN(
      const TrainOutcome outcome,
      units_.Train(units_.Task(model(), initial, data(), 5, "a")));

  EXPECT_EQ(outcome.steps, 5);
  EXPECT_EQ(outcome.examples, 40);
  EXPECT_EQ(outcome.tokens, words);
  EXPECT_EQ(outcome.loss_count, data().tags.empty() ? 40 : data().tags.size());
}

TEST_P(EveryModel, StopRequested_EndsWithinAStep) {
  const SafetensorsFile& initial = units_.Initial(model());
  std::stop_source stop;
  uint64_t steps = 0;

  const absl::Status status =
      units_.trainer()
          .Train(units_.Task(model(), initial, data(), 1000, "a"),
                 stop.get_token(),
                 [&](const StepProgress& progress) {
                   steps = progress.steps_done;
                   if (steps == 3) stop.request_stop();
                 })
          .status();

  EXPECT_THAT(status, StatusIs(absl::StatusCode::kCancelled,
                               HasSubstr("after step 3 of 1000")));
  EXPECT_EQ(steps, 3);
}

TEST_P(EveryModel, NonFiniteLoss_IsAbortedWithStepAndRate) {
  const SafetensorsFile& initial = units_.Initial(model());
  TrainTask task = units_.Task(model(), initial, data(), 50, "a");
  task.lr_first = task.lr_last = 3e38f;
  task.first_step = 100;

  EXPECT_THAT(units_.Train(task),
              StatusIs(absl::StatusCode::kAborted,
                       AllOf(HasSubstr("diverged at step "),
                             HasSubstr("of 50 (step 10"),
                             HasSubstr("learning rate 3e+38"))));
}

TEST_P(EveryModel, ForeignWeights_NameTheTensor) {
  const ModelConfig other =
      std::holds_alternative<TextClassifierConfig>(model().model) ? ToyTagger()
                                                                  : ToyBag();
  const SafetensorsFile& initial = units_.Initial(other);

  EXPECT_THAT(units_.Train(units_.Task(model(), initial, data(), 1, "a")),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("embedding_layer.weight")));
}

TEST_P(EveryModel, IdOutsideTheVocabulary_IsRefused) {
  const SafetensorsFile& initial = units_.Initial(model());
  for (const int32_t bad : {-1, 64, 1 << 30}) {
    ToyShard shard = GetParam().shard;
    shard.ids[5] = bad;

    EXPECT_THAT(
        units_.Train(units_.Task(model(), initial, shard.view(), 1, "a")),
        StatusIs(absl::StatusCode::kInvalidArgument,
                 HasSubstr("ids of the shard holds " + std::to_string(bad) +
                           " at position 5")));
  }
}

TEST_P(EveryModel, ClassOutsideTheDictionary_IsRefused) {
  const SafetensorsFile& initial = units_.Initial(model());
  ToyShard shard = GetParam().shard;
  (shard.tags.empty() ? shard.labels : shard.tags)[2] = 3;

  EXPECT_THAT(units_.Train(units_.Task(model(), initial, shard.view(), 1, "a")),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("holds 3 at position 2")));
}

TEST_P(EveryModel, NoAnswers_AreRefusedForTraining) {
  const SafetensorsFile& initial = units_.Initial(model());
  ToyShard shard = GetParam().shard;
  shard.labels.clear();
  shard.tags.clear();

  EXPECT_THAT(units_.Train(units_.Task(model(), initial, shard.view(), 1, "a")),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("has 0 elements")));
}

TEST_P(EveryModel, EmptyShard_IsRefusedForTraining) {
  const SafetensorsFile& initial = units_.Initial(model());
  const ToyShard empty;

  EXPECT_THAT(
      units_.Train(units_.Task(model(), initial, empty.view(), 1, "a")),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no samples")));
}

TEST_P(EveryModel, AnyNumberOfDevShards_SameNumbers) {
  ToyUnits units;
  const SafetensorsFile& weights = units.Initial(model());
  const ToyShard& shard = GetParam().shard;
  std::vector<std::vector<double>> losses;
  std::vector<std::vector<int32_t>> predictions;
  for (const int64_t shards : {1, 2, 3, 7}) {
    losses.emplace_back();
    predictions.emplace_back();
    for (int64_t k = 0; k < shards; ++k) {
      // Ten batches of four, cut into runs of whole batches.
      std::vector<int64_t> offsets;
      const EncodedShard part = shard.Slice(
          4 * (10 * k / shards), 4 * (10 * (k + 1) / shards), offsets);
      ASSERT_OK(units.Evaluate({.model = model(),
                                .training = ToyTraining(),
                                .model_weights = &weights,
                                .data = part,
                                .output_path = units.File("part")}));
      const SafetensorsFile& output = units.Open("part");
      for (const double loss : Values<double>(output, "batch_loss")) {
        losses.back().push_back(loss);
      }
      for (const int32_t id : Values<int32_t>(output, "predictions")) {
        predictions.back().push_back(id);
      }
    }
  }
  EXPECT_EQ(losses.front().size(), 10);
  EXPECT_THAT(losses, Each(losses.front()));
  EXPECT_THAT(predictions, Each(predictions.front()));
}

TEST_P(EveryModel, Predict_GivesProbabilitiesAndNoLoss) {
  const SafetensorsFile& weights = units_.Initial(model());
  ToyShard shard = GetParam().shard;
  shard.labels.clear();
  shard.tags.clear();

  ASSERT_OK(units_.Evaluate({.model = model(),
                             .training = ToyTraining(),
                             .model_weights = &weights,
                             .data = shard.view(),
                             .with_loss = false,
                             .output_path = units_.File("out")}));

  const SafetensorsFile& output = units_.Open("out");
  EXPECT_EQ(output.Find("batch_loss"), nullptr);
  const size_t items = Values<int32_t>(output, "predictions").size();
  EXPECT_EQ(items, data().tags.empty() ? 40 : data().tags.size());
  const auto probabilities = Values<float>(output, "probabilities");
  EXPECT_EQ(probabilities.size(), items);
  EXPECT_THAT(probabilities,
              Each(AllOf(::testing::Ge(1.f / 3 - 1e-6f), ::testing::Le(1.f))));
}

TEST_P(EveryModel, EmptyShard_EvaluatesToNothing) {
  const SafetensorsFile& weights = units_.Initial(model());
  const ToyShard empty;

  ASSERT_OK(units_.Evaluate({.model = model(),
                             .training = ToyTraining(),
                             .model_weights = &weights,
                             .data = empty.view(),
                             .output_path = units_.File("out")}));

  EXPECT_THAT(Values<double>(units_.Open("out"), "batch_loss"), ElementsAre());
}

TEST_P(EveryModel, Trained_PredictsEveryItem) {
  const SafetensorsFile& initial = units_.Initial(model());
  TrainTask task =
      units_.Task(WithoutDropout(model()), initial, data(), 600, "update");
  ASSERT_OK(units_.Train(task));

  ASSERT_OK(units_.Evaluate({.model = model(),
                             .training = ToyTraining(),
                             .model_weights = &units_.Open("update"),
                             .data = data(),
                             .output_path = units_.File("out")}));

  const auto expected = data().tags.empty() ? data().labels : data().tags;
  EXPECT_THAT(Values<int32_t>(units_.Open("out"), "predictions"),
              ::testing::ElementsAreArray(expected.begin(), expected.end()));
}

// The plain optimizer has no state, so the number of units does not matter. (A
// tagger with dropout draws from a new seed in each unit.)
TEST(TorchTrainer, TwoUnitsOfOneEpoch_EqualOneUnitOfTwo) {
  for (const Case& c :
       {BagCase(), TaggerCase(), CrfTaggerCase(), RecurrentCase()}) {
    ToyUnits units;
    const ModelConfig model = WithoutDropout(c.model);
    const SafetensorsFile& initial = units.Initial(model);
    TrainTask task = units.Task(model, initial, c.shard.view(), 10, "both");
    task.lr_first = 0.5;
    task.lr_last = 0.25;
    ASSERT_OK(units.Train(task));
    task.num_steps = 5;
    task.lr_last = 0.375;
    task.output_path = units.File("first");
    ASSERT_OK(units.Train(task));
    task.global_model = &units.Open("first");
    task.first_step = 5;
    task.lr_first = 0.375;
    task.lr_last = 0.25;
    task.output_path = units.File("second");

    ASSERT_OK(units.Train(task));

    EXPECT_EQ(units.Bytes("second"), units.Bytes("both")) << c.name;
  }
}

TEST(TorchTrainer, Dropout_FollowsTheUnitsSeed) {
  ToyUnits units;
  const ToyShard shard = ToySentences(40);
  const SafetensorsFile& initial = units.Initial(ToyTagger());
  TrainTask task = units.Task(ToyTagger(), initial, shard.view(), 2, "a");
  ASSERT_OK(units.Train(task));
  task.seed += 1;
  task.output_path = units.File("b");

  ASSERT_OK(units.Train(task));

  EXPECT_NE(units.Bytes("a"), units.Bytes("b"));
}

TEST(TorchTrainer, PlainSgdOnABag_LeavesUnusedRowsAlone) {
  ToyUnits units;
  ToyShard shard;  // two texts of the words 1 and 2
  shard.ids = {1, 2, 2, 1};
  shard.offsets = {0, 2, 4};
  shard.labels = {0, 1};
  const SafetensorsFile& initial = units.Initial(ToyBag());
  for (const bool clipped : {false, true}) {
    TrainTask task = units.Task(ToyBag(), initial, shard.view(), 20, "a");
    if (clipped) task.training.max_grad_norm = 0.1;

    ASSERT_OK(units.Train(task));

    const std::string name = "embeddings.embedding_layer.weight";
    const auto before = Values<float>(initial, name);
    const auto after = Values<float>(units.Open("a"), name);
    for (size_t i = 0; i < before.size(); ++i) {
      const size_t row = i / 20;
      EXPECT_EQ(before[i] == after[i], row != 1 && row != 2) << i;
    }
  }
}

TEST(TorchTrainer, EmptyTextsOnly_TrainTheBias) {
  ToyUnits units;
  ToyShard shard;
  shard.offsets = {0, 0, 0};
  shard.labels = {1, 1};
  const SafetensorsFile& initial = units.Initial(ToyBag());

  ASSERT_OK(units.Train(units.Task(ToyBag(), initial, shard.view(), 2, "a")));

  const auto bias = Values<float>(units.Open("a"), "decoder.bias");
  EXPECT_GT(bias[1], bias[0]);
  EXPECT_TRUE(std::isfinite(bias[2]));
}

TEST(TorchTrainer, WrongShape_NamesBothShapes) {
  ToyUnits units;
  const SafetensorsFile& initial = units.Initial(ToyBag());
  ModelConfig larger = ToyBag();
  std::get<TextClassifierConfig>(larger.model).num_labels = 4;

  EXPECT_THAT(
      units.Train(units.Task(larger, initial, ToyTexts(8).view(), 1, "a")),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("decoder.weight F32 [3, 20]"),
                     HasSubstr("decoder.weight F32 [4, 20]"))));
}

TEST(TorchTrainer, UnknownTensor_IsNamed) {
  ToyUnits units;
  const SafetensorsFile& initial = units.Initial(ToyBag());
  std::vector<TensorView> tensors = initial.tensors();
  tensors.push_back(tensors.back());
  tensors.back().spec.name = "crf.transitions";
  ASSERT_OK(WriteSafetensors(units.File("odd"), tensors));

  EXPECT_THAT(units.Train(units.Task(ToyBag(), units.Open("odd"),
                                     ToyTexts(8).view(), 1, "a")),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("crf.transitions")));
}

TEST(TorchTrainer, ModelBeyondMemory_IsResourceExhausted) {
  ToyUnits units;
  ModelConfig huge = ToyBag();
  auto& words = std::get<OneHotEmbeddings>(
      std::get<TextClassifierConfig>(huge.model).embeddings.front());
  words.num_embeddings = 1 << 30;
  words.embedding_size = 1 << 20;

  EXPECT_THAT(units.trainer().Initialize(huge, 1, {}, units.File("a")),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("out of memory on cpu")));
}

TEST(TorchTrainer, MissingGpu_NeverFallsBack) {
  const std::unique_ptr<Clock> clock = MakeRealClock();

  EXPECT_THAT(MakeTorchTrainer({.gpu = "4711"}, *clock),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("GPU 4711 is not available")));
}

TEST(TorchTrainer, Cpu_SaysSo) {
  ToyUnits units;

  EXPECT_EQ(units.trainer().device(), "cpu");
  EXPECT_THAT(units.trainer().numerics_class(),
              AllOf(StartsWith("libtorch-2."), HasSubstr(" cpu "),
                    HasSubstr("threads=1")));
  EXPECT_GT(units.trainer().peak_memory_bytes(), 1 << 20);
}

}  // namespace
}  // namespace meanfield

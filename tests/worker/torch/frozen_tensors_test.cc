// Tensors that come from files: frozen ones, and first values that are given.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/worker/torch/toy_units.h"

namespace meanfield {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using testing::StatusIs;
using testing::ToyShard;
using testing::ToyTexts;
using testing::ToyTraining;
using testing::ToyUnits;
using testing::Values;

constexpr char kFrozen[] =
    "embeddings.embeddings.list_embedding_0.embedding.weight";
constexpr char kFineTuned[] =
    "embeddings.embeddings.list_embedding_1.embedding.weight";

// Two tables of vectors for the words of ToyTexts; the first stays.
ModelConfig Model() {
  return {TextClassifierConfig{
      .embeddings = {WordEmbeddings{.num_embeddings = 64, .embedding_size = 3},
                     WordEmbeddings{.num_embeddings = 65,
                                    .embedding_size = 2,
                                    .fine_tune = true}},
      .document = DocumentRnnConfig{.rnn = {.hidden_size = 4},
                                    .reproject_words_dimension = 5},
      .num_labels = 3}};
}

class FrozenTensors : public ::testing::Test {
 protected:
  FrozenTensors() : shard_(ToyTexts(20)) {
    const std::vector<int32_t> ids = shard_.ids;
    shard_.ids.insert(shard_.ids.end(), ids.begin(), ids.end());
  }

  // A file with one table, filled with `value`.
  const SafetensorsFile& Table(const std::string& file, const char* name,
                               std::vector<int64_t> shape, float value) {
    const std::vector<float> values(shape[0] * shape[1], value);
    EXPECT_OK(WriteSafetensors(units_.File(file),
                               {{.spec = {.name = name, .shape = shape},
                                 .bytes = std::as_bytes(std::span(values))}}));
    return units_.Open(file);
  }
  const SafetensorsFile& Frozen(float value = 0.5f) {
    return Table("frozen" + std::to_string(value), kFrozen, {64, 3}, value);
  }
  const SafetensorsFile& Given() {
    return Table("given", kFineTuned, {65, 2}, 0.25f);
  }
  absl::StatusOr<std::vector<TensorSpec>> Initialize(
      const std::vector<const SafetensorsFile*>& given) {
    return units_.trainer().Initialize(Model(), 7, given,
                                       units_.File("initial"));
  }
  const SafetensorsFile& Initial() {
    EXPECT_OK(Initialize({&Given()}));
    return units_.Open("initial");
  }
  TrainTask Task(const SafetensorsFile& initial,
                 std::vector<const SafetensorsFile*> frozen) {
    TrainTask task = units_.Task(Model(), initial, shard_.view(), 10, "update");
    task.frozen = std::move(frozen);
    return task;
  }

  ToyShard shard_;
  ToyUnits units_;
};

TEST_F(FrozenTensors, First_HasTheGivenValuesAndNotTheFrozenTensor) {
  ASSERT_OK_AND_ASSIGN(const std::vector<TensorSpec> specs,
                       Initialize({&Given()}));

  const SafetensorsFile& initial = units_.Open("initial");
  EXPECT_EQ(initial.Find(kFrozen), nullptr);
  EXPECT_THAT(Values<float>(initial, kFineTuned), Each(0.25f));
  EXPECT_EQ(initial.tensors().size(), specs.size() - 1);
  for (const TensorSpec& spec : specs) {
    EXPECT_EQ(spec.role == TensorRole::kFrozen, spec.name == kFrozen)
        << spec.name;
  }
}

TEST_F(FrozenTensors, FirstWithoutGivenVectors_IsRefused) {
  EXPECT_THAT(Initialize({}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("1 tables of word vectors to fine-tune")));
}

TEST_F(FrozenTensors, GivenTensorOfAnotherShape_NamesBoth) {
  EXPECT_THAT(
      Initialize({&Table("odd", kFineTuned, {64, 2}, 0)}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("F32 [64, 2]"), HasSubstr("F32 [65, 2]"))));
}

TEST_F(FrozenTensors, GivenTensorThatTheModelLacks_IsNamed) {
  EXPECT_THAT(Initialize({&Given(), &Table("odd", "other", {2, 2}, 0)}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("other F32 [2, 2]")));
}

TEST_F(FrozenTensors, Update_HasTheOtherTensors) {
  const SafetensorsFile& initial = Initial();
  ASSERT_OK(units_.Train(Task(initial, {&Frozen()})));

  const SafetensorsFile& update = units_.Open("update");
  EXPECT_EQ(update.Find(kFrozen), nullptr);
  EXPECT_EQ(update.tensors().size(), initial.tensors().size());
  EXPECT_NE(Values<float>(update, kFineTuned),
            Values<float>(initial, kFineTuned));
}

TEST_F(FrozenTensors, TrainingWithoutTheFrozenFile_NamesTheTensor) {
  EXPECT_THAT(units_.Train(Task(Initial(), {})),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(kFrozen)));
}

TEST_F(FrozenTensors, FrozenValues_AreUsed) {
  const SafetensorsFile& initial = Initial();
  ASSERT_OK(units_.Train(Task(initial, {&Frozen(0.5f)})));
  const std::string one = units_.Bytes("update");

  ASSERT_OK(units_.Train(Task(initial, {&Frozen(-1)})));

  EXPECT_NE(units_.Bytes("update"), one);
}

TEST_F(FrozenTensors, EveryOptimizer_LeavesTheFileAlone) {
  const SafetensorsFile& initial = Initial();
  TrainTask task = Task(initial, {&Frozen()});
  const std::string before = units_.Bytes("frozen" + std::to_string(0.5f));
  task.training.optimizer = AdamConfig{.weight_decay = 0.1};

  ASSERT_OK(units_.Train(task));

  EXPECT_EQ(units_.Bytes("frozen" + std::to_string(0.5f)), before);
}

// An exported model holds the frozen tensors itself.
TEST_F(FrozenTensors, ExportedModel_EvaluatesAsItsTwoFiles) {
  const SafetensorsFile& initial = Initial();
  const SafetensorsFile& frozen = Frozen();
  std::vector<TensorView> tensors = initial.tensors();
  tensors.push_back(frozen.tensors().front());
  ASSERT_OK(WriteSafetensors(units_.File("exported"), tensors));
  EvaluateTask task{.model = Model(),
                    .training = ToyTraining(),
                    .model_weights = &initial,
                    .frozen = {&frozen},
                    .data = shard_.view(),
                    .output_path = units_.File("a")};
  ASSERT_OK(units_.Evaluate(task));
  task.model_weights = &units_.Open("exported");
  task.frozen = {};
  task.output_path = units_.File("b");

  ASSERT_OK(units_.Evaluate(task));

  EXPECT_EQ(units_.Bytes("a"), units_.Bytes("b"));
}

}  // namespace
}  // namespace meanfield

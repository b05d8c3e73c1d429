// A recurrent classifier trained on one shard, against a plain LibTorch loop on
// the same batches and the same dropout masks.

#include "tests/worker/torch/plain_classifier.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/worker/torch/plain_models.h"
#include "tests/worker/torch/toy_units.h"

namespace meanfield {
namespace {

using testing::LoadPlainly;
using testing::PlainClassifier;
using testing::ToyRecurrentClassifier;
using testing::ToyShard;
using testing::ToyTexts;
using testing::ToyUnits;
using testing::TrainPlainly;
using testing::Values;

struct Case {
  std::string name;
  RnnConfig rnn;
  bool reproject = true;
};

class PlainClassifierLoop : public ::testing::TestWithParam<Case> {
 protected:
  static ModelConfig Model() {
    ModelConfig model = ToyRecurrentClassifier(GetParam().rnn);
    if (!GetParam().reproject) {
      auto& classifier = std::get<TextClassifierConfig>(model.model);
      std::get<DocumentRnnConfig>(classifier.document)
          .reproject_words_dimension.reset();
    }
    return model;
  }
  static PlainClassifier Plain() {
    return {std::get<TextClassifierConfig>(Model().model), /*sparse=*/false};
  }

  ToyUnits units_;
};

INSTANTIATE_TEST_SUITE_P(
    , PlainClassifierLoop,
    ::testing::Values(Case{"Lstm", {RnnType::kLstm, 10, 1, false}},
                      Case{"BiLstm", {RnnType::kLstm, 10, 1, true}, false},
                      Case{"Gru", {RnnType::kGru, 10, 1, false}, false},
                      Case{"BiGru", {RnnType::kGru, 10, 1, true}}),
    [](const auto& info) { return info.param.name; });

TEST_P(PlainClassifierLoop, ThirtySteps_SameWeightsWithinRounding) {
  const ToyShard shard = ToyTexts(45);  // some of them empty
  const SafetensorsFile& initial = units_.Initial(Model());
  TrainTask task = units_.Task(Model(), initial, shard.view(), 30, "ours");
  task.training.max_grad_norm = 1;
  task.first_step = 3;
  task.lr_last = 0.1f;
  PlainClassifier plain = Plain();
  LoadPlainly(plain, initial);

  ASSERT_OK(units_.Train(task));
  TrainPlainly(plain, task, shard);

  const SafetensorsFile& ours = units_.Open("ours");
  for (const auto& parameter : plain.named_parameters()) {
    const auto values = Values<float>(ours, parameter.key());
    const float* theirs = parameter.value().data_ptr<float>();
    for (size_t i = 0; i < values.size(); ++i) {
      ASSERT_NEAR(values[i], theirs[i], 5e-6) << parameter.key() << " " << i;
    }
  }
}

// The deviation of a uniform distribution tells its bound.
TEST_P(PlainClassifierLoop, FirstWeights_HaveFlairsBounds) {
  const SafetensorsFile& initial = units_.Initial(Model());
  for (const TensorView& tensor : initial.tensors()) {
    const std::vector<int64_t>& shape = tensor.spec.shape;
    const std::string& name = tensor.spec.name;
    const auto values = Values<float>(initial, name);
    double bound = 1 / std::sqrt(10.0);  // the RNN's hidden size
    if (name == "decoder.bias") {
      bound = 1 / std::sqrt(GetParam().rnn.bidirectional ? 40.0 : 10.0);
    } else if (name == "embeddings.word_reprojection_map.bias") {
      bound = 1 / std::sqrt(12.0);
    } else if (name.find("rnn.") == std::string::npos) {  // Xavier's rule
      bound = std::sqrt(6.0 / static_cast<double>(shape[0] + shape[1]));
    }
    double largest = 0;
    for (const float value : values) {
      largest = std::max(largest, std::abs(double{value}));
    }
    EXPECT_LE(largest, bound) << name;
    EXPECT_GE(largest, (values.size() < 10 ? 0.2 : 0.7) * bound) << name;
  }
}

TEST_P(PlainClassifierLoop, EmptyTextsOnly_TrainTheBiasAlone) {
  ToyShard shard;
  shard.offsets = {0, 0, 0};
  shard.labels = {1, 1};
  const SafetensorsFile& initial = units_.Initial(Model());
  TrainTask task = units_.Task(Model(), initial, shard.view(), 2, "ours");
  task.training.max_grad_norm = 5;

  ASSERT_OK(units_.Train(task));

  const SafetensorsFile& ours = units_.Open("ours");
  const auto gain = [&](size_t label) {
    return Values<float>(ours, "decoder.bias")[label] -
           Values<float>(initial, "decoder.bias")[label];
  };
  EXPECT_GT(gain(1), 0);
  EXPECT_LT(gain(0), 0);
  EXPECT_EQ(Values<float>(ours, "decoder.weight"),
            Values<float>(initial, "decoder.weight"));
  EXPECT_EQ(Values<float>(ours, "embeddings.rnn.weight_hh_l0"),
            Values<float>(initial, "embeddings.rnn.weight_hh_l0"));
}

}  // namespace
}  // namespace meanfield

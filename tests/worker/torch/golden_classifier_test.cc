#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/temporary_folder.h"
#include "tests/worker/torch/golden.h"
#include "worker/torch/net.h"

namespace meanfield {
namespace {

using nlohmann::json;

struct Block {
  std::string name;  // in Flair's file
  RnnConfig rnn;
};

// Flair's classifiers: their weights, and three texts of 4, 2 and 1 words.
class GoldenClassifier : public ::testing::TestWithParam<Block> {
 protected:
  void SetUp() override {
    if (testing::SharedFolder().empty()) {
      GTEST_SKIP() << "no golden numbers here";
    }
    block_ = testing::FlairNumbers("text_classifier_" + GetParam().name);
  }

  static TextClassifierConfig Config() {
    return {.embeddings = {WordEmbeddings{.num_embeddings = 6,
                                          .embedding_size = 6}},
            .document = DocumentRnnConfig{.rnn = GetParam().rnn,
                                          .reproject_words_dimension = 6,
                                          .dropout = 0},
            .num_labels = 3};
  }
  static std::unique_ptr<Net> MakeNet(const TextClassifierConfig& config,
                                      const json& state) {
    std::unique_ptr<Net> net = MakeRecurrentClassifierNet(
        config, at::Device(at::kCPU), EmbeddingGradient::kDense);
    testing::SetTensors(state, net->tensors());
    return net;
  }
  Batch Texts() const {
    return {.ids = {0, 1, 2, 3, 0, 4, 5},
            .offsets = {0, 4, 6, 7},
            .targets = block_.at("gold").get<std::vector<int32_t>>(),
            .num_items = 3};
  }

  json block_;
};

INSTANTIATE_TEST_SUITE_P(
    , GoldenClassifier,
    ::testing::Values(
        Block{"gru_uni", {RnnType::kGru, 5, 1, /*bidirectional=*/false}},
        Block{"gru_bi", {RnnType::kGru, 5, 1, /*bidirectional=*/true}},
        Block{"lstm_bi", {RnnType::kLstm, 5, 1, /*bidirectional=*/true}}),
    [](const auto& info) { return info.param.name; });

TEST_P(GoldenClassifier, FlairsWeights_SameLoss) {
  const std::unique_ptr<Net> net = MakeNet(Config(), block_.at("state_dict"));

  EXPECT_NEAR(net->Loss(Texts()).item<double>(),
              block_.at("ce_sum").get<double>(), 1e-5);
}

// A label per value of the document's vector, whose score is the value plus 1:
// above 0, so that every label is predicted with its probability.
TEST_P(GoldenClassifier, FlairsWeights_SameDocumentVectors) {
  std::vector<float> vectors;
  testing::Flatten(block_.at("doc_embedding"), vectors);
  const size_t size = vectors.size() / 3;
  json state = block_.at("state_dict");
  state["decoder.weight"] = json::array();
  for (size_t i = 0; i < size; ++i) {
    std::vector<float> row(size);
    row[i] = 1;
    state["decoder.weight"].push_back(row);
  }
  state["decoder.bias"] = std::vector<float>(size, 1);
  TextClassifierConfig config = Config();
  config.num_labels = static_cast<int64_t>(size);
  config.multi_label = true;
  Predictions predictions;

  MakeNet(config, state)->Predict(Texts(), predictions);

  ASSERT_EQ(predictions.probabilities.size(), vectors.size());
  for (size_t i = 0; i < vectors.size(); ++i) {
    const double p = predictions.probabilities[i];
    EXPECT_NEAR(std::log(p / (1 - p)) - 1, vectors[i], 1e-5) << i;
  }
}

// Central differences of the loss, in the direction of the gradient.
TEST_P(GoldenClassifier, Gradient_IsTheSlopeOfTheLoss) {
  const std::unique_ptr<Net> net = MakeNet(Config(), block_.at("state_dict"));
  net->Loss(Texts()).backward();
  for (const NamedTensor& tensor : net->tensors()) {
    const at::Tensor gradient = tensor.value.grad();
    if (!gradient.defined()) continue;
    constexpr double kStep = 1e-2;
    const at::Tensor direction = at::div(gradient, gradient.norm());
    const auto loss_at = [&](double distance) {
      const at::Tensor before = tensor.value.data().clone();
      tensor.value.data().add_(direction, distance);
      const double loss = net->Loss(Texts()).item<double>();
      tensor.value.data().copy_(before);
      return loss;
    };
    const double slope = (loss_at(kStep) - loss_at(-kStep)) / (2 * kStep);
    EXPECT_NEAR(slope, gradient.norm().item<double>(), 2e-3) << tensor.name;
  }
}

}  // namespace
}  // namespace meanfield

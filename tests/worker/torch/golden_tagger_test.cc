#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/status_matchers.h"
#include "tests/worker/torch/toy_units.h"

namespace meanfield {
namespace {

using testing::ToyShard;
using testing::ToyUnits;
using testing::Values;

void Flatten(const nlohmann::json& value, std::vector<float>& to) {
  if (value.is_number()) {
    to.push_back(value.get<float>());
    return;
  }
  for (const nlohmann::json& part : value) Flatten(part, to);
}

// The weights of the block, under our name of the embedding.
void WriteWeights(const nlohmann::json& state, const std::string& path) {
  std::vector<std::vector<float>> storage;
  storage.reserve(state.size());
  std::vector<TensorView> tensors;
  for (const auto& [key, value] : state.items()) {
    std::vector<float>& values = storage.emplace_back();
    Flatten(value, values);
    std::vector<int64_t> shape = {static_cast<int64_t>(value.size())};
    if (value[0].is_array()) {
      shape.push_back(static_cast<int64_t>(value[0].size()));
    }
    tensors.push_back(
        {.spec = {.name = key == "embeddings.embedding.weight"
                              ? "embeddings.embedding_layer.weight"
                              : key,
                  .shape = shape},
         .bytes = std::as_bytes(std::span(values))});
  }
  ASSERT_OK(WriteSafetensors(path, tensors));
}

TEST(GoldenTagger, FlairsSoftmaxTagger_SameLoss) {
  if (testing::SharedFolder().empty()) GTEST_SKIP() << "no golden numbers here";
  std::ifstream file(testing::SharedFolder() + "/golden/flair_0.15.1.json");
  const auto block = nlohmann::json::parse(file).at("sequence_tagger_softmax");
  ToyUnits units;
  WriteWeights(block.at("state_dict"), units.File("weights"));
  ToyShard shard;
  shard.ids = {0, 1, 2, 3, 0, 4, 5};
  shard.offsets = {0, 4, 6, 7};
  shard.tags = block.at("gold_flat").get<std::vector<int32_t>>();
  const ModelConfig model{SequenceTaggerConfig{
      .embeddings = {.num_embeddings = 6, .embedding_size = 6},
      .hidden_size = 4,
      .num_tags = 4}};

  ASSERT_OK(units.Evaluate({.model = model,
                            .model_weights = &units.Open("weights"),
                            .data = shard.view(),
                            .output_path = units.File("out")}));

  const auto loss = Values<double>(units.Open("out"), "batch_loss");
  ASSERT_EQ(loss.size(), 1);
  EXPECT_NEAR(loss[0], block.at("ce_sum").get<double>(), 1e-5);
}

}  // namespace
}  // namespace meanfield

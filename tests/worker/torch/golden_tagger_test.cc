// Flair's taggers and character embeddings, number by number.
#include <ATen/core/grad_mode.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/worker/torch/golden.h"
#include "worker/torch/embedding_stack.h"
#include "worker/torch/net.h"
#include "worker/torch/packed_batch.h"

namespace meanfield {
namespace {

using nlohmann::json;
using testing::ExpectNear;
using testing::FlairNumbers;
using testing::TensorOf;

// Three sentences: see the numbers' README.
Batch SharedBatch(const json& block) {
  return {.ids = {0, 1, 2, 3, 0, 4, 5},
          .offsets = {0, 4, 6, 7},
          .targets = block.at("gold_flat").get<std::vector<int32_t>>(),
          .num_items = 7,
          .num_tokens = 7};
}

class GoldenTagger : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::SharedFolder().empty()) {
      GTEST_SKIP() << "no golden numbers here";
    }
  }

  // The tagger of a block, without dropout and with its weights.
  static std::unique_ptr<Net> MakeNet(const json& block, bool crf) {
    const SequenceTaggerConfig config{
        .embeddings = {WordEmbeddings{.num_embeddings = 6,
                                      .embedding_size = 6}},
        .rnn = {.hidden_size = 4},
        .crf = crf,
        .num_tags = static_cast<int64_t>(block.at("tags").size()),
        .word_dropout = 0,
        .locked_dropout = 0};
    std::unique_ptr<Net> net = MakeSequenceTaggerNet(
        config, at::Device(at::kCPU), EmbeddingGradient::kDense);
    testing::SetTensors(block.at("state_dict"), net->tensors());
    return net;
  }
};

TEST_F(GoldenTagger, FlairsCrfTagger_SameLossAndGradients) {
  const json block = FlairNumbers("sequence_tagger_bilstm_crf");
  const std::unique_ptr<Net> net = MakeNet(block, /*crf=*/true);

  const at::Tensor loss = net->Loss(SharedBatch(block));
  loss.backward();

  EXPECT_NEAR(loss.item<float>(), block.at("nll_sum").get<double>(), 2e-5);
  for (const NamedTensor& tensor : net->tensors()) {
    if (tensor.role == TensorRole::kFrozen) {
      EXPECT_EQ(tensor.name, "embeddings.embedding.weight");
      EXPECT_FALSE(tensor.value.grad().defined());
      continue;
    }
    ExpectNear(tensor.value.grad(), TensorOf(block.at("grads").at(tensor.name)),
               1e-5, tensor.name);
  }
}

TEST_F(GoldenTagger, FlairsCrfTagger_SameTagsConfidencesAndLoss) {
  const json block = FlairNumbers("sequence_tagger_bilstm_crf");
  const std::unique_ptr<Net> net = MakeNet(block, /*crf=*/true);
  const at::NoGradGuard no_grad;
  Predictions predictions;

  net->Predict(SharedBatch(block), predictions);

  size_t item = 0;
  for (const json& sentence : block.at("viterbi")) {
    for (const json& token : sentence) {
      EXPECT_EQ(block.at("tags")[predictions.classes[item]], token[0]);
      EXPECT_NEAR(predictions.probabilities[item], token[1].get<double>(),
                  1e-5);
      ++item;
    }
  }
  ASSERT_EQ(predictions.losses.size(), 3);
  EXPECT_NEAR(
      predictions.losses[0] + predictions.losses[1] + predictions.losses[2],
      block.at("nll_sum").get<double>(), 2e-5);
}

TEST_F(GoldenTagger, FlairsSoftmaxTagger_SameLoss) {
  const json block = FlairNumbers("sequence_tagger_softmax");
  const std::unique_ptr<Net> net = MakeNet(block, /*crf=*/false);
  const at::NoGradGuard no_grad;
  Predictions predictions;

  const at::Tensor loss = net->Loss(SharedBatch(block));
  net->Predict(SharedBatch(block), predictions);

  EXPECT_NEAR(loss.item<float>(), block.at("ce_sum").get<double>(), 2e-5);
  ASSERT_EQ(predictions.losses.size(), 7);
  double sum = 0;
  for (const float part : predictions.losses) sum += part;
  EXPECT_NEAR(sum, block.at("ce_sum").get<double>(), 2e-5);
}

class GoldenCharacters : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::SharedFolder().empty()) {
      GTEST_SKIP() << "no golden numbers here";
    }
    block_ = FlairNumbers("character_embeddings");
  }

  int32_t IdOf(char character) const {
    for (size_t id = 1; id < block_.at("chars").size(); ++id) {
      if (block_.at("chars")[id] == std::string(1, character)) {
        return static_cast<int32_t>(id);
      }
    }
    return 0;
  }

  // The vectors of one sentence; each word of it once in the batch.
  at::Tensor Embed(const std::vector<std::string>& tokens) const {
    std::vector<NamedTensor> tensors;
    const EmbeddingStack stack(
        {CharacterEmbeddings{
            .num_characters = 6, .embedding_size = 3, .hidden_size = 2}},
        {""}, EmbeddingGradient::kDense,
        [&](std::string name, at::IntArrayRef shape, TensorRole role) {
          tensors.push_back({name, at::empty(shape), role});
          return tensors.back().value;
        });
    testing::SetTensors(block_.at("state_dict"), tensors);
    Batch batch{.offsets = {0, static_cast<int64_t>(tokens.size())},
                .character_offsets = {0}};
    std::vector<std::string> words;
    for (const std::string& token : tokens) {
      size_t word = 0;
      while (word < words.size() && words[word] != token) ++word;
      batch.words.push_back(static_cast<int32_t>(word));
      if (word < words.size()) continue;
      words.push_back(token);
      for (const char c : token) batch.characters.push_back(IdOf(c));
      batch.character_offsets.push_back(
          static_cast<int64_t>(batch.characters.size()));
    }
    return stack.Forward(batch, Pack(batch.offsets));
  }

  json block_;
};

TEST_F(GoldenCharacters, DifferentWords_FlairsVectors) {
  const json& expected = block_.at("unique_words");

  ExpectNear(Embed(expected.at("tokens").get<std::vector<std::string>>()),
             TensorOf(expected.at("emb")), 1e-5, "unique words");
}

// Flair gives the first "a" the vector of "bb".
TEST_F(GoldenCharacters, RepeatedWords_EachItsOwnVector) {
  const at::Tensor vectors = Embed({"a", "bb", "a"});

  const at::Tensor a = TensorOf(block_.at("single").at("a"));
  const at::Tensor bb = TensorOf(block_.at("single").at("bb"));
  ExpectNear(vectors[0], a.flatten(), 1e-5, "a");
  ExpectNear(vectors[1], bb.flatten(), 1e-5, "bb");
  ExpectNear(vectors[2], a.flatten(), 1e-5, "a again");
}

}  // namespace
}  // namespace meanfield

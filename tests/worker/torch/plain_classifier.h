#ifndef MEANFIELD_TESTS_WORKER_TORCH_PLAIN_CLASSIFIER_H_
#define MEANFIELD_TESTS_WORKER_TORCH_PLAIN_CLASSIFIER_H_

#include <torch/nn/functional/dropout.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/rnn.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <variant>
#include <vector>

#include "common/model/model_config.h"
#include "tests/worker/torch/toy_units.h"

namespace meanfield::testing {

// Flair's TextClassifier on DocumentRNNEmbeddings with one one-hot embedding,
// as one writes it with LibTorch's modules, registered under its names. Loss is
// the mean over the texts.
struct PlainClassifier : torch::nn::Module {
  using PackedSequence = torch::nn::utils::rnn::PackedSequence;

  PlainClassifier(const TextClassifierConfig& config, bool sparse)
      : document(std::get<DocumentRnnConfig>(config.document)),
        words(torch::nn::EmbeddingOptions(Words(config).num_embeddings,
                                          Words(config).embedding_size)
                  .sparse(sparse)),
        map(Words(config).embedding_size, RnnInput(config)),
        lstm(torch::nn::LSTMOptions(RnnInput(config), document.rnn.hidden_size)
                 .bidirectional(document.rnn.bidirectional)),
        gru(torch::nn::GRUOptions(RnnInput(config), document.rnn.hidden_size)
                .bidirectional(document.rnn.bidirectional)),
        decoder((document.rnn.bidirectional ? 4 : 1) * document.rnn.hidden_size,
                config.num_labels) {
    const auto one = std::make_shared<Holder>();
    one->register_module("embedding_layer", words);
    const auto list = std::make_shared<Holder>();
    list->register_module("list_embedding_0", one);
    const auto embeddings = std::make_shared<Holder>();
    embeddings->register_module("embeddings", list);
    embeddings->register_module("word_reprojection_map", map);
    if (document.rnn.type == RnnType::kLstm) {
      embeddings->register_module("rnn", lstm);
    } else {
      embeddings->register_module("rnn", gru);
    }
    register_module("embeddings", embeddings);
    register_module("decoder", decoder);
  }

  torch::Tensor Loss(const ToyShard& shard, std::span<const int64_t> samples) {
    std::vector<int64_t> labels;
    for (const int64_t i : samples) labels.push_back(shard.labels[i]);
    return torch::nn::functional::cross_entropy(
        decoder(Documents(shard, samples)), torch::tensor(labels));
  }

  // Texts without words are zeros.
  torch::Tensor Documents(const ToyShard& shard,
                          std::span<const int64_t> samples) {
    const auto length = [&](int64_t text) {
      return shard.offsets[samples[text] + 1] - shard.offsets[samples[text]];
    };
    const int64_t count = static_cast<int64_t>(samples.size());
    std::vector<int64_t> texts;
    for (int64_t text = 0; text < count; ++text) {
      if (length(text) > 0) texts.push_back(text);
    }
    const torch::Tensor none =
        torch::zeros({count, decoder->options.in_features()});
    if (texts.empty()) return none;
    std::vector<int64_t> sorted = texts;
    std::stable_sort(sorted.begin(), sorted.end(), [&](int64_t a, int64_t b) {
      return length(a) > length(b);
    });
    std::vector<torch::Tensor> ids;
    std::vector<int64_t> lengths;
    std::vector<int64_t> place_of_text(count);
    for (const int64_t text : sorted) {
      place_of_text[text] = static_cast<int64_t>(ids.size());
      const auto first = shard.ids.begin() + shard.offsets[samples[text]];
      ids.push_back(
          torch::tensor(std::vector<int64_t>(first, first + length(text))));
      lengths.push_back(length(text));
    }
    std::vector<int64_t> places;
    for (const int64_t text : texts) places.push_back(place_of_text[text]);
    return none.index_copy(
        0, torch::tensor(texts),
        Vectors(ids, torch::tensor(lengths), torch::tensor(places)));
  }

  // Of texts by length, longest first; the result is in the order of `places`.
  torch::Tensor Vectors(const std::vector<torch::Tensor>& ids,
                        const torch::Tensor& lengths,
                        const torch::Tensor& places) {
    const PackedSequence packed = torch::nn::utils::rnn::pack_padded_sequence(
        torch::nn::utils::rnn::pad_sequence(ids, /*batch_first=*/true), lengths,
        /*batch_first=*/true);
    torch::Tensor x = Drop(words(packed.data()));
    if (document.reproject_words_dimension) x = map(x);
    const PackedSequence input(x, packed.batch_sizes());
    const torch::Tensor outputs =
        std::get<0>(torch::nn::utils::rnn::pad_packed_sequence(
            document.rnn.type == RnnType::kLstm
                ? std::get<0>(lstm->forward_with_packed_input(input))
                : std::get<0>(gru->forward_with_packed_input(input)),
            /*batch_first=*/true));
    const torch::Tensor ends =
        (lengths - 1).view({-1, 1, 1}).expand({-1, 1, outputs.size(2)});
    torch::Tensor vectors = outputs.gather(1, ends);
    if (document.rnn.bidirectional) {
      vectors = torch::cat({outputs.narrow(1, 0, 1), vectors}, 1);
    }
    return Drop(vectors.index_select(0, places)).flatten(1);
  }

  torch::Tensor Drop(const torch::Tensor& x) const {
    return torch::nn::functional::dropout(
        x, torch::nn::functional::DropoutFuncOptions().p(document.dropout));
  }

  static const OneHotEmbeddings& Words(const TextClassifierConfig& config) {
    return std::get<OneHotEmbeddings>(config.embeddings.front());
  }
  static int64_t RnnInput(const TextClassifierConfig& config) {
    return std::get<DocumentRnnConfig>(config.document)
        .reproject_words_dimension.value_or(Words(config).embedding_size);
  }

  struct Holder : torch::nn::Module {
    using torch::nn::Module::register_module;
  };
  const DocumentRnnConfig document;
  torch::nn::Embedding words;
  torch::nn::Linear map;
  torch::nn::LSTM lstm;
  torch::nn::GRU gru;
  torch::nn::Linear decoder;
};

}  // namespace meanfield::testing

#endif  // MEANFIELD_TESTS_WORKER_TORCH_PLAIN_CLASSIFIER_H_

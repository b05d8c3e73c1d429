#ifndef MEANFIELD_TESTS_WORKER_TORCH_PLAIN_MODELS_H_
#define MEANFIELD_TESTS_WORKER_TORCH_PLAIN_MODELS_H_

#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/rnn.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/nn/utils/rnn.h>
#include <torch/optim/sgd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "tests/worker/torch/toy_units.h"
#include "worker/torch/packed_gru.h"
#include "worker/torch/packed_lstm.h"
#include "worker/trainer/batch_order.h"

// The models and the training loop as one writes them with LibTorch's modules.
namespace meanfield::testing {

inline void LoadPlainly(torch::nn::Module& module,
                        const SafetensorsFile& weights) {
  const torch::NoGradGuard no_grad;
  for (auto& parameter : module.named_parameters()) {
    const auto values = Values<float>(weights, parameter.key());
    std::memcpy(parameter.value().data_ptr<float>(), values.data(),
                values.size() * sizeof(float));
  }
}

using torch::nn::utils::rnn::PackedSequence;

// Only to hold modules under longer names.
struct Holder : torch::nn::Module {
  using torch::nn::Module::register_module;
  using torch::nn::Module::register_parameter;
};

inline torch::Tensor Slice(const std::vector<int32_t>& values, int64_t first,
                           int64_t last) {
  return torch::tensor(
      std::vector<int64_t>(values.begin() + first, values.begin() + last));
}

// `samples` by length, falling.
inline std::vector<int64_t> ByLength(const ToyShard& shard,
                                     std::span<const int64_t> samples) {
  const auto length = [&](int64_t i) {
    return shard.offsets[i + 1] - shard.offsets[i];
  };
  std::vector<int64_t> order(samples.begin(), samples.end());
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return length(a) > length(b); });
  return order;
}

// A value per token of the samples, longest first.
inline PackedSequence PackTokens(const ToyShard& shard,
                                 const std::vector<int32_t>& values,
                                 std::span<const int64_t> samples) {
  std::vector<torch::Tensor> rows;
  for (const int64_t i : ByLength(shard, samples)) {
    rows.push_back(Slice(values, shard.offsets[i], shard.offsets[i + 1]));
  }
  return torch::nn::utils::rnn::pack_sequence(rows);
}

// One mask for all tokens of a sentence.
inline torch::Tensor Locked(const torch::Tensor& x, const torch::Tensor& sizes,
                            double dropout) {
  const int64_t* size = sizes.const_data_ptr<int64_t>();
  const torch::Tensor mask =
      torch::empty({size[0], x.size(1)}).bernoulli_(1 - dropout) /
      (1 - dropout);
  std::vector<torch::Tensor> rows;
  for (int64_t t = 0; t < sizes.numel(); ++t) {
    rows.push_back(mask.slice(0, 0, size[t]));
  }
  return x * torch::cat(rows);
}

// The worker computes recurrent layers its own way, to other bits than
// LibTorch's modules.
enum class RecurrentLayers { kLibTorchs, kWorkers };

// Flair's tagger with one-hot embeddings and a softmax, registered under its
// names.
struct PlainTagger : torch::nn::Module {
  PlainTagger(const SequenceTaggerConfig& config, bool sparse,
              RecurrentLayers layers = RecurrentLayers::kLibTorchs)
      : config(config),
        layers(layers),
        embedding_layer(torch::nn::EmbeddingOptions(words().num_embeddings,
                                                    words().embedding_size)
                            .sparse(sparse)),
        embedding2nn(words().embedding_size, words().embedding_size),
        lstm(torch::nn::LSTMOptions(words().embedding_size,
                                    config.rnn.hidden_size)
                 .bidirectional(true)),
        gru(torch::nn::GRUOptions(words().embedding_size,
                                  config.rnn.hidden_size)
                .bidirectional(true)),
        linear(2 * config.rnn.hidden_size, config.num_tags) {
    const auto embeddings = std::make_shared<Holder>();
    embeddings->register_module("embedding_layer", embedding_layer);
    register_module("embeddings", embeddings);
    register_module("embedding2nn", embedding2nn);
    if (config.rnn.type == RnnType::kLstm) {
      register_module("rnn", lstm);
    } else {
      register_module("rnn", gru);
    }
    register_module("linear", linear);
  }

  const OneHotEmbeddings& words() const {
    return std::get<OneHotEmbeddings>(config.embeddings.front());
  }

  torch::Tensor Loss(const ToyShard& shard, std::span<const int64_t> samples) {
    return torch::nn::functional::cross_entropy(
        Scores(PackTokens(shard, shard.ids, samples)),
        PackTokens(shard, shard.tags, samples).data());
  }

  torch::Tensor Scores(const PackedSequence& ids) {
    torch::Tensor x = embedding_layer(ids.data());
    x = x * torch::empty({x.size(0), 1}).bernoulli_(1 - config.word_dropout);
    x = Locked(x, ids.batch_sizes(), config.locked_dropout);
    x = Rnn(embedding2nn(x), ids.batch_sizes());
    return linear(Locked(x, ids.batch_sizes(), config.locked_dropout));
  }

  torch::Tensor Rnn(const torch::Tensor& x, const torch::Tensor& sizes) {
    const bool is_gru = config.rnn.type == RnnType::kGru;
    if (layers == RecurrentLayers::kWorkers) {
      const int64_t* size = sizes.const_data_ptr<int64_t>();
      const std::vector<int64_t> batch_sizes(size, size + sizes.numel());
      return is_gru ? PackedGruLayer(x, batch_sizes, gru->parameters())
                    : PackedLstmLayer(x, batch_sizes, lstm->parameters());
    }
    const PackedSequence packed(x, sizes);
    return is_gru ? std::get<0>(gru->forward_with_packed_input(packed)).data()
                  : std::get<0>(lstm->forward_with_packed_input(packed)).data();
  }

  const SequenceTaggerConfig config;
  const RecurrentLayers layers;
  torch::nn::Embedding embedding_layer;
  torch::nn::Linear embedding2nn;
  torch::nn::LSTM lstm;
  torch::nn::GRU gru;
  torch::nn::Linear linear;
};

// Trains `module` as `task` says, one plain step after the other.
template <typename Module>
void TrainPlainly(Module& module, const TrainTask& task,
                  const ToyShard& shard) {
  torch::manual_seed(task.seed);
  torch::optim::SGD optimizer(module.parameters(), task.lr_first);
  BatchOrder order(task.data.size(), task.training.batch_size, task.order_seed);
  for (uint64_t step = 0; step < task.num_steps; ++step) {
    const double lr = task.lr_first + (double{task.lr_last} - task.lr_first) *
                                          step / task.num_steps;
    optimizer.zero_grad();
    module.Loss(shard, order.Batch(task.first_step + step)).backward();
    if (task.training.max_grad_norm) {
      torch::nn::utils::clip_grad_norm_(module.parameters(),
                                        *task.training.max_grad_norm);
    }
    for (auto& group : optimizer.param_groups()) {
      group.options().set_lr(static_cast<float>(lr));
    }
    optimizer.step();
  }
}

struct PlainBag : torch::nn::Module {
  PlainBag(const TextClassifierConfig& config, bool sparse)
      : bag(torch::nn::EmbeddingBagOptions(
                words(config).num_embeddings +
                    std::get<BagConfig>(config.document).ngram_buckets,
                words(config).embedding_size)
                .sparse(sparse)
                .mode(std::get<BagConfig>(config.document).pooling ==
                              Pooling::kMean
                          ? torch::nn::EmbeddingBagMode(torch::kMean)
                          : torch::nn::EmbeddingBagMode(torch::kSum))
                .include_last_offset(true)),
        decoder(words(config).embedding_size, config.num_labels) {
    const auto embeddings = std::make_shared<Holder>();
    embeddings->register_module("embedding_layer", bag);
    register_module("embeddings", embeddings);
    register_module("decoder", decoder);
  }

  static const OneHotEmbeddings& words(const TextClassifierConfig& config) {
    return std::get<OneHotEmbeddings>(config.embeddings.front());
  }

  torch::Tensor Loss(const ToyShard& shard, std::span<const int64_t> samples) {
    std::vector<int64_t> ids, offsets = {0}, labels;
    for (const int64_t i : samples) {
      ids.insert(ids.end(), shard.ids.begin() + shard.offsets[i],
                 shard.ids.begin() + shard.offsets[i + 1]);
      offsets.push_back(static_cast<int64_t>(ids.size()));
      labels.push_back(shard.labels[i]);
    }
    return torch::nn::functional::cross_entropy(
        decoder(bag(torch::tensor(ids, torch::kLong), torch::tensor(offsets))),
        torch::tensor(labels));
  }

  static const OneHotEmbeddings& Words(const TextClassifierConfig& config) {
    return std::get<OneHotEmbeddings>(config.embeddings.front());
  }
  static const BagConfig& Bag(const TextClassifierConfig& config) {
    return std::get<BagConfig>(config.document);
  }

  torch::nn::EmbeddingBag bag;
  torch::nn::Linear decoder;
};

}  // namespace meanfield::testing

#endif  // MEANFIELD_TESTS_WORKER_TORCH_PLAIN_MODELS_H_

#ifndef MEANFIELD_TESTS_WORKER_TORCH_PLAIN_MODELS_H_
#define MEANFIELD_TESTS_WORKER_TORCH_PLAIN_MODELS_H_

#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/rnn.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/sgd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "tests/worker/torch/toy_units.h"
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

// Flair's tagger, registered under its names.
struct PlainTagger : torch::nn::Module {
  PlainTagger(const SequenceTaggerConfig& config, bool sparse)
      : config(config), sparse(sparse) {
    embeddings->register_module("embedding_layer", embedding_layer);
    register_module("embeddings", embeddings);
    register_module("embedding2nn", embedding2nn);
    register_module("rnn", rnn);
    register_module("linear", linear);
  }

  torch::Tensor Loss(const ToyShard& shard, std::span<const int64_t> samples) {
    const auto length = [&](int64_t i) {
      return shard.offsets[i + 1] - shard.offsets[i];
    };
    std::vector<int64_t> order(samples.begin(), samples.end());
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return length(a) > length(b);
    });
    std::vector<torch::Tensor> ids, tags, lengths;
    for (const int64_t i : order) {
      ids.push_back(Row(shard.ids, shard.offsets[i], length(i)));
      tags.push_back(Row(shard.tags, shard.offsets[i], length(i)));
      lengths.push_back(torch::tensor(length(i)));
    }
    const auto packed_ids = Pack(ids, lengths);
    const auto packed_tags = Pack(tags, lengths);
    return torch::nn::functional::cross_entropy(
        Scores(packed_ids), packed_tags.data(),
        torch::nn::functional::CrossEntropyFuncOptions().reduction(
            torch::kMean));
  }

  torch::Tensor Scores(const torch::nn::utils::rnn::PackedSequence& ids) {
    torch::Tensor x = embedding_layer(ids.data());
    x = x * torch::empty({x.size(0), 1}).bernoulli_(1 - config.word_dropout);
    x = Locked(x, ids.batch_sizes());
    x = embedding2nn(x);
    x = std::get<0>(
            rnn->forward_with_packed_input(
                torch::nn::utils::rnn::PackedSequence(x, ids.batch_sizes())))
            .data();
    return linear(Locked(x, ids.batch_sizes()));
  }

  torch::Tensor Locked(const torch::Tensor& x, const torch::Tensor& sizes) {
    const int64_t* size = sizes.const_data_ptr<int64_t>();
    const double keep = 1 - config.locked_dropout;
    const torch::Tensor mask =
        torch::empty({size[0], x.size(1)}).bernoulli_(keep) / keep;
    std::vector<torch::Tensor> rows;
    for (int64_t t = 0; t < sizes.numel(); ++t) {
      rows.push_back(mask.slice(0, 0, size[t]));
    }
    return x * torch::cat(rows);
  }

  static torch::Tensor Row(const std::vector<int32_t>& values, int64_t first,
                           int64_t length) {
    return torch::tensor(std::vector<int64_t>(values.begin() + first,
                                              values.begin() + first + length));
  }
  static torch::nn::utils::rnn::PackedSequence Pack(
      const std::vector<torch::Tensor>& rows,
      const std::vector<torch::Tensor>& lengths) {
    return torch::nn::utils::rnn::pack_padded_sequence(
        torch::nn::utils::rnn::pad_sequence(rows, /*batch_first=*/true),
        torch::stack(lengths), /*batch_first=*/true);
  }

  const SequenceTaggerConfig config;
  const bool sparse;  // gradient of the embedding
  struct Holder : torch::nn::Module {
    using torch::nn::Module::register_module;
  };
  std::shared_ptr<Holder> embeddings = std::make_shared<Holder>();
  torch::nn::Embedding embedding_layer{
      torch::nn::EmbeddingOptions(config.embeddings.num_embeddings,
                                  config.embeddings.embedding_size)
          .sparse(sparse)};
  torch::nn::Linear embedding2nn{config.embeddings.embedding_size,
                                 config.embeddings.embedding_size};
  torch::nn::LSTM rnn{torch::nn::LSTMOptions(config.embeddings.embedding_size,
                                             config.hidden_size)
                          .bidirectional(true)};
  torch::nn::Linear linear{2 * config.hidden_size, config.num_tags};
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
                config.embeddings.num_embeddings + config.ngram_buckets,
                config.embeddings.embedding_size)
                .sparse(sparse)
                .mode(config.pooling == Pooling::kMean
                          ? torch::nn::EmbeddingBagMode(torch::kMean)
                          : torch::nn::EmbeddingBagMode(torch::kSum))
                .include_last_offset(true)),
        decoder(config.embeddings.embedding_size, config.num_labels) {
    auto embeddings = std::make_shared<PlainTagger::Holder>();
    embeddings->register_module("embedding_layer", bag);
    register_module("embeddings", embeddings);
    register_module("decoder", decoder);
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

  torch::nn::EmbeddingBag bag;
  torch::nn::Linear decoder;
};

}  // namespace meanfield::testing

#endif  // MEANFIELD_TESTS_WORKER_TORCH_PLAIN_MODELS_H_

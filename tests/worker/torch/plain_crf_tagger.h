#ifndef MEANFIELD_TESTS_WORKER_TORCH_PLAIN_CRF_TAGGER_H_
#define MEANFIELD_TESTS_WORKER_TORCH_PLAIN_CRF_TAGGER_H_

#include <map>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "tests/worker/torch/plain_models.h"

namespace meanfield::testing {

// Flair's tagger with one-hot and character embeddings and a CRF, as one writes
// it with LibTorch's modules and operations: the BiLSTM reads each distinct
// word of a batch once, autograd differentiates the CRF.
struct PlainCrfTagger : torch::nn::Module {
  PlainCrfTagger(const SequenceTaggerConfig& config, bool sparse)
      : config(config),
        words(
            torch::nn::EmbeddingOptions(
                std::get<OneHotEmbeddings>(config.embeddings[0]).num_embeddings,
                std::get<OneHotEmbeddings>(config.embeddings[0]).embedding_size)
                .sparse(sparse)),
        characters(spelling().num_characters, spelling().embedding_size),
        char_rnn(torch::nn::LSTMOptions(spelling().embedding_size,
                                        spelling().hidden_size)
                     .bidirectional(true)),
        embedding2nn(width(), width()),
        rnn(torch::nn::LSTMOptions(width(), config.rnn.hidden_size)
                .bidirectional(true)),
        linear(2 * config.rnn.hidden_size, config.num_tags),
        transitions(torch::randn({config.num_tags, config.num_tags})) {
    const auto list_0 = std::make_shared<Holder>();
    list_0->register_module("embedding_layer", words);
    const auto list_1 = std::make_shared<Holder>();
    list_1->register_module("char_embedding", characters);
    list_1->register_module("char_rnn", char_rnn);
    const auto embeddings = std::make_shared<Holder>();
    embeddings->register_module("list_embedding_0", list_0);
    embeddings->register_module("list_embedding_1", list_1);
    register_module("embeddings", embeddings);
    register_module("embedding2nn", embedding2nn);
    register_module("rnn", rnn);
    register_module("linear", linear);
    const auto crf = std::make_shared<Holder>();
    register_module("crf", crf);
    transitions = crf->register_parameter("transitions", transitions);
  }

  const CharacterEmbeddings& spelling() const {
    return std::get<CharacterEmbeddings>(config.embeddings[1]);
  }
  int64_t width() const {
    return VectorSize(config.embeddings[0]) + VectorSize(config.embeddings[1]);
  }

  torch::Tensor Loss(const ToyShard& shard, std::span<const int64_t> samples) {
    const PackedSequence ids = PackTokens(shard, shard.ids, samples);
    torch::Tensor x = torch::cat(
        {words(ids.data()),
         Characters(shard, PackTokens(shard, shard.words, samples).data())},
        1);
    x = x * torch::empty({x.size(0), 1}).bernoulli_(1 - config.word_dropout);
    x = embedding2nn(Locked(x, ids.batch_sizes(), config.locked_dropout));
    x = std::get<0>(rnn->forward_with_packed_input(
                        PackedSequence(x, ids.batch_sizes())))
            .data();
    x = linear(Locked(x, ids.batch_sizes(), config.locked_dropout));
    return Nll(x, PackTokens(shard, shard.tags, samples).data(),
               ids.batch_sizes());
  }

  // Of each token; `words_of_tokens` number the shard's words.
  torch::Tensor Characters(const ToyShard& shard,
                           const torch::Tensor& words_of_tokens) {
    std::map<int64_t, int64_t> places;
    std::vector<torch::Tensor> spellings;
    std::vector<int64_t> place_of_token, last;
    for (int64_t i = 0; i < words_of_tokens.numel(); ++i) {
      const int64_t word = words_of_tokens[i].item<int64_t>();
      const auto [place, added] =
          places.emplace(word, static_cast<int64_t>(spellings.size()));
      place_of_token.push_back(place->second);
      if (!added) continue;
      spellings.push_back(Slice(shard.characters, shard.character_offsets[word],
                                shard.character_offsets[word + 1]));
      last.push_back(spellings.back().numel() - 1);
    }
    const PackedSequence packed = torch::nn::utils::rnn::pack_sequence(
        spellings, /*enforce_sorted=*/false);
    const PackedSequence states =
        std::get<0>(char_rnn->forward_with_packed_input(PackedSequence(
            characters(packed.data()), packed.batch_sizes(),
            packed.sorted_indices(), packed.unsorted_indices())));
    const torch::Tensor padded = std::get<0>(
        torch::nn::utils::rnn::pad_packed_sequence(states,
                                                   /*batch_first=*/true));
    return padded.index({torch::arange(padded.size(0)), torch::tensor(last)})
        .index_select(0, torch::tensor(place_of_token));
  }

  // Σ -log p of the sentences.
  torch::Tensor Nll(const torch::Tensor& scores, const torch::Tensor& tags,
                    const torch::Tensor& sizes) {
    const int64_t start = config.num_tags - 2, stop = config.num_tags - 1;
    const int64_t* size = sizes.const_data_ptr<int64_t>();
    torch::Tensor alpha, before, ends;
    torch::Tensor gold = scores.gather(1, tags.unsqueeze(1)).sum();
    std::vector<torch::Tensor> last_alphas, last_tags;
    for (int64_t t = 0, row = 0; t < sizes.numel(); row += size[t++]) {
      const torch::Tensor now = tags.narrow(0, row, size[t]);
      const torch::Tensor e = scores.narrow(0, row, size[t]);
      if (t == 0) {
        alpha = e + transitions.select(1, start);
        gold = gold + transitions.select(1, start).index_select(0, now).sum();
      } else {
        last_alphas.push_back(alpha.slice(0, size[t]));
        last_tags.push_back(before.slice(0, size[t]));
        alpha = e + (alpha.slice(0, 0, size[t]).unsqueeze(1) + transitions)
                        .logsumexp(2);
        gold =
            gold + transitions.index({now, before.slice(0, 0, size[t])}).sum();
      }
      before = now;
    }
    last_alphas.push_back(alpha);
    last_tags.push_back(before);
    ends = transitions.select(0, stop);
    return (torch::cat(last_alphas) + ends).logsumexp(1).sum() - gold -
           ends.index_select(0, torch::cat(last_tags)).sum();
  }

  const SequenceTaggerConfig config;
  torch::nn::Embedding words;
  torch::nn::Embedding characters;
  torch::nn::LSTM char_rnn;
  torch::nn::Linear embedding2nn;
  torch::nn::LSTM rnn;
  torch::nn::Linear linear;
  torch::Tensor transitions;
};

}  // namespace meanfield::testing

#endif  // MEANFIELD_TESTS_WORKER_TORCH_PLAIN_CRF_TAGGER_H_

#include "worker/torch/character_embedding.h"

#include <ATen/Functions.h>

#include <cmath>
#include <cstdint>

#include "common/base/strings.h"
#include "worker/torch/packed_lstm.h"
#include "worker/torch/row_gather.h"

namespace meanfield {
namespace {

std::vector<at::Tensor> AddDirection(const CharacterEmbeddings& config,
                                     const std::string& prefix,
                                     const std::string& suffix,
                                     EmbeddingStack::AddTensor add) {
  const int64_t gates = 4 * config.hidden_size;
  const auto tensor = [&](const char* name, at::IntArrayRef shape) {
    return add(StrCat(prefix, "char_rnn.", name, "_l0", suffix), shape,
               TensorRole::kTrainable);
  };
  return {tensor("weight_ih", {gates, config.embedding_size}),
          tensor("weight_hh", {gates, config.hidden_size}),
          tensor("bias_ih", {gates}), tensor("bias_hh", {gates})};
}

// The row of the last item of each place.
std::vector<int64_t> LastRows(const PackedBatch& packed) {
  std::vector<int64_t> rows(packed.samples.size());
  for (int64_t row = 0; row < packed.num_rows(); ++row) {
    rows[packed.sequence_of_row[row]] = row;
  }
  return rows;
}

}  // namespace

CharacterEmbedding::CharacterEmbedding(const CharacterEmbeddings& config,
                                       const std::string& prefix,
                                       EmbeddingStack::AddTensor add)
    : characters_(add(prefix + "char_embedding.weight",
                      {config.num_characters, config.embedding_size},
                      TensorRole::kTrainable)),
      forward_(AddDirection(config, prefix, "", add)),
      reverse_(AddDirection(config, prefix, "_reverse", add)) {}

void CharacterEmbedding::Initialize() {
  characters_.data().normal_();
  const double bound = 1 / std::sqrt(static_cast<double>(forward_[1].size(1)));
  for (const auto* direction : {&forward_, &reverse_}) {
    for (const at::Tensor& tensor : *direction) {
      tensor.data().uniform_(-bound, bound);
    }
  }
}

at::Tensor CharacterEmbedding::Forward(const Batch& batch,
                                       const PackedBatch& packed) const {
  const PackedBatch words = Pack(batch.character_offsets);
  const std::vector<int64_t> ids = InRowOrder(batch.characters, words);
  const std::vector<int64_t> last_rows = LastRows(words);
  std::vector<int64_t> last_ids;
  std::vector<int64_t> place_of_word(words.samples.size());
  for (size_t place = 0; place < last_rows.size(); ++place) {
    last_ids.push_back(ids[last_rows[place]]);
    place_of_word[words.samples[place]] = static_cast<int64_t>(place);
  }
  const at::Tensor states = PackedLstmLayer(GatherRows(characters_, ids),
                                            words.batch_sizes, forward_);
  const at::Tensor reverse =
      PackedLstmLayer(GatherRows(characters_, last_ids),
                      {static_cast<int64_t>(words.samples.size())}, reverse_);
  const at::Tensor vectors =
      at::cat({GatherRows(states, last_rows), reverse}, /*dim=*/1);
  std::vector<int64_t> places = InRowOrder(batch.words, packed);
  for (int64_t& place : places) place = place_of_word[place];
  return GatherRows(vectors, places);
}

}  // namespace meanfield

#include <ATen/Functions.h>

#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/base/strings.h"
#include "worker/torch/net.h"
#include "worker/torch/packed_batch.h"
#include "worker/torch/tensor_names.h"

namespace meanfield {
namespace {

constexpr double kDropoutBetweenLayers = 0.5;  // where there are several

void InitializeUniform(const at::Tensor& tensor, double bound) {
  tensor.data().uniform_(-bound, bound);
}

// Flair's SequenceTagger without CRF: dropouts, embedding2nn, BiLSTM, dropouts,
// linear. Works on packed rows from the embedding to the loss: padding is never
// computed.
class SequenceTaggerNet : public Net {
 public:
  SequenceTaggerNet(const SequenceTaggerConfig& config, at::Device device,
                    EmbeddingGradient gradient);

  void Initialize() override;
  ItemScores Forward(const Batch& batch, Mode mode) override;

 private:
  int64_t directions() const { return config_.bidirectional ? 2 : 1; }
  void AddRnnLayer(int64_t layer, std::string_view suffix);
  at::Tensor Rnn(const at::Tensor& rows, const PackedBatch& packed, Mode mode);
  at::Tensor Dropout(const at::Tensor& rows) const;
  // Whole words become zero; the others are not scaled up.
  at::Tensor WordDropout(const at::Tensor& rows) const;
  // One mask for all tokens of a sequence.
  at::Tensor LockedDropout(const at::Tensor& rows, const PackedBatch& packed,
                           const at::Tensor& sequence_of_row) const;

  const SequenceTaggerConfig config_;
  const EmbeddingGradient gradient_;
  at::Tensor embedding_;
  at::Tensor embedding2nn_weight_;
  at::Tensor embedding2nn_bias_;
  std::vector<at::Tensor> rnn_;
  at::Tensor linear_weight_;
  at::Tensor linear_bias_;
};

SequenceTaggerNet::SequenceTaggerNet(const SequenceTaggerConfig& config,
                                     at::Device device,
                                     EmbeddingGradient gradient)
    : Net(device), config_(config), gradient_(gradient) {
  const int64_t size = config.embeddings.embedding_size;
  embedding_ =
      AddParameter(kEmbeddingWeight, {config.embeddings.num_embeddings, size});
  embedding2nn_weight_ = AddParameter("embedding2nn.weight", {size, size});
  embedding2nn_bias_ = AddParameter("embedding2nn.bias", {size});
  for (int64_t layer = 0; layer < config.num_layers; ++layer) {
    AddRnnLayer(layer, "");
    if (config.bidirectional) AddRnnLayer(layer, "_reverse");
  }
  const int64_t features = directions() * config.hidden_size;
  linear_weight_ = AddParameter("linear.weight", {config.num_tags, features});
  linear_bias_ = AddParameter("linear.bias", {config.num_tags});
}

void SequenceTaggerNet::AddRnnLayer(int64_t layer, std::string_view suffix) {
  const int64_t hidden = config_.hidden_size;
  const int64_t input =
      layer == 0 ? config_.embeddings.embedding_size : directions() * hidden;
  const auto add = [&](std::string_view name, at::IntArrayRef shape) {
    rnn_.push_back(
        AddParameter(StrCat("rnn.", name, "_l", layer, suffix), shape));
  };
  add("weight_ih", {4 * hidden, input});
  add("weight_hh", {4 * hidden, hidden});
  add("bias_ih", {4 * hidden});
  add("bias_hh", {4 * hidden});
}

void SequenceTaggerNet::Initialize() {
  const double size = static_cast<double>(config_.embeddings.embedding_size);
  const double words = static_cast<double>(config_.embeddings.num_embeddings);
  InitializeUniform(embedding_, std::sqrt(6 / (words + size)));  // Xavier
  InitializeUniform(embedding2nn_weight_, 1 / std::sqrt(size));
  InitializeUniform(embedding2nn_bias_, 1 / std::sqrt(size));
  for (const at::Tensor& tensor : rnn_) {
    InitializeUniform(tensor,
                      1 / std::sqrt(static_cast<double>(config_.hidden_size)));
  }
  const double features =
      static_cast<double>(directions() * config_.hidden_size);
  InitializeUniform(linear_weight_, 1 / std::sqrt(features));
  InitializeUniform(linear_bias_, 1 / std::sqrt(features));
}

ItemScores SequenceTaggerNet::Forward(const Batch& batch, Mode mode) {
  PackedBatch packed = Pack(batch);
  const bool training = mode == Mode::kTraining;
  at::Tensor rows =
      at::embedding(embedding_, ToDevice(packed.ids), /*padding_idx=*/-1,
                    /*scale_grad_by_freq=*/false,
                    /*sparse=*/gradient_ == EmbeddingGradient::kSparse);
  at::Tensor sequence_of_row;
  if (training) {
    sequence_of_row = ToDevice(packed.sequence_of_row);
    rows = WordDropout(Dropout(rows));
    rows = LockedDropout(rows, packed, sequence_of_row);
  }
  rows = at::linear(rows, embedding2nn_weight_, embedding2nn_bias_);
  rows = Rnn(rows, packed, mode);
  if (training) {
    rows = LockedDropout(Dropout(rows), packed, sequence_of_row);
  }
  return {.scores = at::linear(rows, linear_weight_, linear_bias_),
          .targets =
              packed.targets.empty() ? at::Tensor() : ToDevice(packed.targets),
          .item_of_row = std::move(packed.item_of_row)};
}

at::Tensor SequenceTaggerNet::Rnn(const at::Tensor& rows,
                                  const PackedBatch& packed, Mode mode) {
  const at::Tensor zero =
      at::zeros({config_.num_layers * directions(), packed.batch_sizes.front(),
                 config_.hidden_size},
                rows.options());
  return std::get<0>(at::lstm(
      rows, at::tensor(packed.batch_sizes, at::kLong), {zero, zero}, rnn_,
      /*has_biases=*/true, config_.num_layers,
      config_.num_layers > 1 ? kDropoutBetweenLayers : 0,
      mode == Mode::kTraining, config_.bidirectional));
}

at::Tensor SequenceTaggerNet::Dropout(const at::Tensor& rows) const {
  if (config_.dropout == 0) return rows;
  return at::dropout(rows, config_.dropout, /*train=*/true);
}

at::Tensor SequenceTaggerNet::WordDropout(const at::Tensor& rows) const {
  if (config_.word_dropout == 0) return rows;
  const at::Tensor mask = at::empty({rows.size(0), 1}, rows.options());
  return rows.mul(mask.bernoulli_(1 - config_.word_dropout));
}

at::Tensor SequenceTaggerNet::LockedDropout(
    const at::Tensor& rows, const PackedBatch& packed,
    const at::Tensor& sequence_of_row) const {
  if (config_.locked_dropout == 0) return rows;
  const double keep = 1 - config_.locked_dropout;
  const at::Tensor mask =
      at::empty({packed.batch_sizes.front(), rows.size(1)}, rows.options())
          .bernoulli_(keep)
          .div_(keep);
  return rows.mul(mask.index_select(0, sequence_of_row));
}

}  // namespace

std::unique_ptr<Net> MakeSequenceTaggerNet(const SequenceTaggerConfig& config,
                                           at::Device device,
                                           EmbeddingGradient gradient) {
  return std::make_unique<SequenceTaggerNet>(config, device, gradient);
}

}  // namespace meanfield

#include <ATen/Functions.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "worker/torch/crf.h"
#include "worker/torch/dropout.h"
#include "worker/torch/embedding_stack.h"
#include "worker/torch/net.h"
#include "worker/torch/packed_batch.h"
#include "worker/torch/rnn.h"
#include "worker/torch/tag_scores.h"

namespace meanfield {
namespace {

// Of transitions that never happen.
constexpr float kForbidden = -10000;

// U(±1/√fan-in), of a linear layer.
void InitializeLinear(const at::Tensor& weight, const at::Tensor& bias) {
  const double bound = 1 / std::sqrt(static_cast<double>(weight.size(1)));
  weight.data().uniform_(-bound, bound);
  bias.data().uniform_(-bound, bound);
}

std::vector<std::string> Prefixes(const SequenceTaggerConfig& config) {
  if (config.embeddings.size() == 1) return {"embeddings."};
  return ListPrefixes("embeddings.", config.embeddings.size());
}

// Flair's SequenceTagger: embeddings, dropouts, embedding2nn, RNN, dropouts,
// linear, then a CRF or a softmax per token. Works on packed rows from the
// embeddings to the loss: padding is never computed.
class SequenceTaggerNet : public Net {
 public:
  SequenceTaggerNet(const SequenceTaggerConfig& config, at::Device device,
                    EmbeddingGradient gradient);

  void Initialize() override;
  at::Tensor Loss(const Batch& batch) override;
  void Predict(const Batch& batch, Predictions& predictions) override;

 private:
  // [rows, num_tags]
  at::Tensor Scores(const Batch& batch, const PackedBatch& packed,
                    bool training) const;

  const SequenceTaggerConfig config_;
  EmbeddingStack embeddings_;
  at::Tensor embedding2nn_weight_;
  at::Tensor embedding2nn_bias_;
  PackedRnn rnn_;
  at::Tensor linear_weight_;
  at::Tensor linear_bias_;
  at::Tensor transitions_;    // [to, from]; with a CRF
  at::Tensor label_weights_;  // undefined: all 1
};

SequenceTaggerNet::SequenceTaggerNet(const SequenceTaggerConfig& config,
                                     at::Device device,
                                     EmbeddingGradient gradient)
    : Net(device),
      config_(config),
      embeddings_(
          config.embeddings, Prefixes(config), gradient,
          [this](std::string name, at::IntArrayRef shape, TensorRole role) {
            return AddTensor(std::move(name), shape, role);
          }),
      embedding2nn_weight_(AddTensor("embedding2nn.weight",
                                     {embeddings_.size(), embeddings_.size()})),
      embedding2nn_bias_(AddTensor("embedding2nn.bias", {embeddings_.size()})),
      rnn_(config.rnn, embeddings_.size(), "rnn.",
           [this](std::string name, at::IntArrayRef shape) {
             return AddTensor(std::move(name), shape);
           }),
      linear_weight_(
          AddTensor("linear.weight", {config.num_tags, rnn_.output_size()})),
      linear_bias_(AddTensor("linear.bias", {config.num_tags})) {
  if (config.crf) {
    transitions_ =
        AddTensor("crf.transitions", {config.num_tags, config.num_tags});
  }
  if (!config.label_weights.empty()) {
    label_weights_ = at::tensor(config.label_weights, at::kFloat).to(device);
  }
}

void SequenceTaggerNet::Initialize() {
  embeddings_.Initialize();
  InitializeLinear(embedding2nn_weight_, embedding2nn_bias_);
  rnn_.Initialize();
  InitializeLinear(linear_weight_, linear_bias_);
  if (!config_.crf) return;
  at::Tensor transitions = transitions_.data();
  transitions.normal_();
  transitions.select(0, config_.num_tags - 2).fill_(kForbidden);  // to START
  transitions.select(1, config_.num_tags - 1).fill_(kForbidden);  // from STOP
}

at::Tensor SequenceTaggerNet::Scores(const Batch& batch,
                                     const PackedBatch& packed,
                                     bool training) const {
  at::Tensor rows = embeddings_.Forward(batch, packed);
  const int64_t sequences = packed.batch_sizes.front();
  at::Tensor sequence_of_row;
  if (training) {
    sequence_of_row = ToDevice(packed.sequence_of_row);
    rows = WordDropout(Dropout(rows, config_.dropout), config_.word_dropout);
    rows =
        LockedDropout(rows, config_.locked_dropout, sequences, sequence_of_row);
  }
  rows = at::linear(rows, embedding2nn_weight_, embedding2nn_bias_);
  rows = rnn_.Forward(rows, packed.batch_sizes, training);
  if (training) {
    rows = LockedDropout(Dropout(rows, config_.dropout), config_.locked_dropout,
                         sequences, sequence_of_row);
  }
  return at::linear(rows, linear_weight_, linear_bias_);
}

at::Tensor SequenceTaggerNet::Loss(const Batch& batch) {
  const PackedBatch packed = Pack(batch.offsets);
  const at::Tensor scores = Scores(batch, packed, /*training=*/true);
  const std::vector<int64_t> tags = InRowOrder(batch.targets, packed);
  if (config_.crf) return CrfLoss(scores, transitions_, packed, tags);
  return at::cross_entropy_loss(scores, ToDevice(tags), label_weights_,
                                at::Reduction::Sum);
}

void SequenceTaggerNet::Predict(const Batch& batch, Predictions& predictions) {
  const PackedBatch packed = Pack(batch.offsets);
  const at::Tensor scores = Scores(batch, packed, /*training=*/false);
  if (config_.crf) {
    PredictTaggings(scores, transitions_, batch, packed, predictions);
  } else {
    PredictTags(scores, label_weights_, batch, packed, predictions);
  }
}

}  // namespace

std::unique_ptr<Net> MakeSequenceTaggerNet(const SequenceTaggerConfig& config,
                                           at::Device device,
                                           EmbeddingGradient gradient) {
  return std::make_unique<SequenceTaggerNet>(config, device, gradient);
}

}  // namespace meanfield

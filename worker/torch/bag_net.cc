#include <ATen/Functions.h>

#include <memory>
#include <tuple>

#include "worker/torch/bag_shape.h"
#include "worker/torch/label_scores.h"
#include "worker/torch/net.h"
#include "worker/torch/tensor_names.h"

namespace meanfield {
namespace {

// Document = mean or sum of the vectors of its words and n-grams, scored by a
// linear layer. A text without tokens is a vector of zeros.
//
// The first vectors are small (fastText's 1/size), the first decoder is not:
// it sets how fast vectors learn, and shards that start from the same random
// directions learn vectors that can be averaged. Accuracy of the quickstart
// over 4 shards by the decoder's bound: 0 (fastText's choice) 0.740, Xavier's
// 0.22 0.751, 1 0.754; on one shard 0.758, 0.761, 0.764.
class BagNet : public Net {
 public:
  BagNet(const TextClassifierConfig& config, at::Device device)
      : Net(device),
        shape_(ShapeOfBag(config)),
        labels_(config, device),
        embedding_(AddTensor(kEmbeddingWeight, {shape_.num_rows, shape_.size})),
        weight_(AddTensor(kDecoderWeight, {shape_.num_labels, shape_.size})),
        bias_(AddTensor(kDecoderBias, {shape_.num_labels})) {}

  void Initialize() override {
    const double bound = 1.0 / static_cast<double>(shape_.size);
    embedding_.data().uniform_(-bound, bound);
    weight_.data().uniform_(-1, 1);
    bias_.data().zero_();
  }

  at::Tensor Loss(const Batch& batch) override {
    return labels_.Loss(Scores(batch), batch);
  }

  void Predict(const Batch& batch, Predictions& predictions) override {
    labels_.Predict(Scores(batch), batch, predictions);
  }

 private:
  at::Tensor Scores(const Batch& batch) const {
    constexpr int64_t kSum = 0;
    constexpr int64_t kMean = 1;
    const at::Tensor documents = std::get<0>(at::embedding_bag(
        embedding_, ToDevice({batch.ids.begin(), batch.ids.end()}),
        ToDevice(batch.offsets), /*scale_grad_by_freq=*/false,
        shape_.pooling == Pooling::kMean ? kMean : kSum, /*sparse=*/false,
        /*per_sample_weights=*/{}, /*include_last_offset=*/true));
    return at::linear(documents, weight_, bias_);
  }

  const BagShape shape_;
  const LabelScores labels_;
  at::Tensor embedding_;
  at::Tensor weight_;
  at::Tensor bias_;
};

}  // namespace

std::unique_ptr<Net> MakeBagNet(const TextClassifierConfig& config,
                                at::Device device) {
  return std::make_unique<BagNet>(config, device);
}

}  // namespace meanfield

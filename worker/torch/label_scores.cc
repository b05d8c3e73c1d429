#include "worker/torch/label_scores.h"

#include <ATen/Functions.h>

#include <cstdint>
#include <tuple>
#include <vector>

namespace meanfield {
namespace {

constexpr float kThreshold = 0.5f;  // of a label's probability

void Append(const at::Tensor& from, std::vector<float>& to) {
  const at::Tensor values = from.cpu().contiguous();
  const float* first = values.const_data_ptr<float>();
  to.assign(first, first + values.numel());
}

}  // namespace

LabelScores::LabelScores(const TextClassifierConfig& config, at::Device device)
    : num_labels_(config.num_labels),
      multi_label_(config.multi_label),
      device_(device) {
  if (config.label_weights.empty()) return;
  weights_ = at::tensor(config.label_weights, at::kFloat).to(device);
}

at::Tensor LabelScores::Loss(const at::Tensor& scores,
                             const Batch& batch) const {
  if (multi_label_) {
    return at::binary_cross_entropy_with_logits(scores, Indicators(batch),
                                                weights_, /*pos_weight=*/{},
                                                at::Reduction::Sum);
  }
  return at::cross_entropy_loss(scores, Classes(batch), weights_,
                                at::Reduction::Sum);
}

void LabelScores::Predict(const at::Tensor& scores, const Batch& batch,
                          Predictions& predictions) const {
  if (multi_label_) {
    PredictAll(scores, batch, predictions);
  } else {
    PredictOne(scores, batch, predictions);
  }
}

void LabelScores::PredictOne(const at::Tensor& scores, const Batch& batch,
                             Predictions& predictions) const {
  const at::Tensor log_probabilities = at::log_softmax(scores, 1);
  const auto [best, classes] = at::max(log_probabilities, 1);
  const at::Tensor winners = classes.cpu();
  const int64_t* winner = winners.const_data_ptr<int64_t>();
  for (int64_t i = 0; i < winners.numel(); ++i) {
    predictions.classes.push_back(static_cast<int32_t>(winner[i]));
  }
  Append(best.exp(), predictions.probabilities);
  if (batch.targets.empty()) return;
  Append(at::nll_loss(log_probabilities, Classes(batch), weights_,
                      at::Reduction::None),
         predictions.losses);
}

void LabelScores::PredictAll(const at::Tensor& scores, const Batch& batch,
                             Predictions& predictions) const {
  std::vector<float> probabilities;
  Append(at::sigmoid(scores), probabilities);
  predictions.class_offsets.assign(1, 0);
  for (int64_t text = 0; text < scores.size(0); ++text) {
    for (int64_t label = 0; label < num_labels_; ++label) {
      const float probability = probabilities[text * num_labels_ + label];
      if (!(probability > kThreshold)) continue;
      predictions.classes.push_back(static_cast<int32_t>(label));
      predictions.probabilities.push_back(probability);
    }
    predictions.class_offsets.push_back(
        static_cast<int64_t>(predictions.classes.size()));
  }
  if (batch.target_offsets.empty()) return;
  Append(at::binary_cross_entropy_with_logits(scores, Indicators(batch),
                                              weights_, /*pos_weight=*/{},
                                              at::Reduction::None)
             .sum(1),
         predictions.losses);
}

at::Tensor LabelScores::Classes(const Batch& batch) const {
  return at::tensor(batch.targets, at::kLong).to(device_);
}

at::Tensor LabelScores::Indicators(const Batch& batch) const {
  const at::Tensor indicators =
      at::zeros({batch.size(), num_labels_}, at::kFloat);
  float* row = indicators.mutable_data_ptr<float>();
  for (int64_t text = 0; text < batch.size(); ++text, row += num_labels_) {
    for (int64_t i = batch.target_offsets[text];
         i < batch.target_offsets[text + 1]; ++i) {
      row[batch.targets[i]] = 1;
    }
  }
  return indicators.to(device_);
}

}  // namespace meanfield

#include "worker/torch/bag_loss.h"

#include <algorithm>
#include <cmath>

#include "worker/torch/bag_kernels.h"
#include "worker/torch/loss_divisor.h"

namespace meanfield {
namespace {

constexpr float kThreshold = 0.5f;  // of a label's probability

float Sigmoid(float x) {
  const float e = std::exp(-std::abs(x));
  return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}

// log(1 + exp(x))
float Softplus(float x) {
  return std::max(x, 0.f) + std::log1p(std::exp(-std::abs(x)));
}

}  // namespace

BagLoss::BagLoss(const TextClassifierConfig& config, LossReduction reduction)
    : config_{config},
      reduction_(reduction),
      multi_label_(config.multi_label),
      num_labels_(static_cast<size_t>(config.num_labels)),
      weights_(config.label_weights.begin(), config.label_weights.end()) {}

float BagLoss::WeightOf(size_t label) const {
  return weights_.empty() ? 1 : weights_[label];
}

std::span<const int32_t> BagLoss::LabelsOf(const Batch& batch,
                                           int64_t text) const {
  return {batch.targets.data() + batch.target_offsets[text],
          batch.targets.data() + batch.target_offsets[text + 1]};
}

float BagLoss::LossOfOne(int32_t target, std::span<float> scores) const {
  const float score = scores[target];
  return WeightOf(target) * (SoftmaxInPlace(scores) - score);
}

float BagLoss::LossOfAll(std::span<const int32_t> targets,
                         std::span<float> scores) const {
  // Of a label that the text has not: softplus(score); of one that it has, the
  // score less.
  float loss = 0;
  auto target = targets.begin();
  for (size_t label = 0; label < scores.size(); ++label) {
    const bool has =
        target != targets.end() && *target == static_cast<int32_t>(label);
    if (has) ++target;
    const float score = scores[label];
    loss += WeightOf(label) * Softplus(has ? -score : score);
    scores[label] = Sigmoid(score);
  }
  return loss;
}

LossSum BagLoss::Differentiate(const Batch& batch,
                               std::span<float> scores) const {
  const float scale = reduction_ == LossReduction::kMean
                          ? static_cast<float>(1 / LossDivisor(config_, batch))
                          : 1;
  LossSum loss{.count = batch.num_items};
  for (int64_t text = 0; text < batch.num_items; ++text) {
    const std::span<float> of_text =
        scores.subspan(text * num_labels_, num_labels_);
    if (multi_label_) {
      const std::span<const int32_t> labels = LabelsOf(batch, text);
      loss.sum += LossOfAll(labels, of_text);
      for (const int32_t label : labels) of_text[label] -= 1;
      for (size_t label = 0; label < num_labels_; ++label) {
        of_text[label] *= scale * WeightOf(label);
      }
    } else {
      const int32_t label = batch.targets[text];
      loss.sum += LossOfOne(label, of_text);
      of_text[label] -= 1;
      const float factor = scale * WeightOf(label);
      for (float& value : of_text) value *= factor;
    }
  }
  return loss;
}

void BagLoss::Predict(const Batch& batch, std::span<float> scores,
                      Predictions& predictions) const {
  if (multi_label_) predictions.class_offsets.assign(1, 0);
  const bool with_loss =
      multi_label_ ? !batch.target_offsets.empty() : !batch.targets.empty();
  for (int64_t text = 0; text < batch.num_items; ++text) {
    const std::span<float> of_text =
        scores.subspan(text * num_labels_, num_labels_);
    const float loss = multi_label_
                           ? PredictAll(with_loss ? LabelsOf(batch, text)
                                                  : std::span<const int32_t>(),
                                        of_text, predictions)
                           : PredictOne(with_loss ? batch.targets[text] : 0,
                                        of_text, predictions);
    if (with_loss) predictions.losses.push_back(loss);
  }
}

float BagLoss::PredictOne(int32_t target, std::span<float> scores,
                          Predictions& predictions) const {
  const auto best = std::max_element(scores.begin(), scores.end());
  const float loss = LossOfOne(target, scores);
  predictions.classes.push_back(static_cast<int32_t>(best - scores.begin()));
  predictions.probabilities.push_back(*best);
  return loss;
}

float BagLoss::PredictAll(std::span<const int32_t> targets,
                          std::span<float> scores,
                          Predictions& predictions) const {
  const float loss = LossOfAll(targets, scores);
  for (size_t label = 0; label < num_labels_; ++label) {
    if (!(scores[label] > kThreshold)) continue;
    predictions.classes.push_back(static_cast<int32_t>(label));
    predictions.probabilities.push_back(scores[label]);
  }
  predictions.class_offsets.push_back(
      static_cast<int64_t>(predictions.classes.size()));
  return loss;
}

}  // namespace meanfield

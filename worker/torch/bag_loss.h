#ifndef MEANFIELD_WORKER_TORCH_BAG_LOSS_H_
#define MEANFIELD_WORKER_TORCH_BAG_LOSS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/model/model_config.h"
#include "common/model/training_config.h"
#include "worker/torch/batch.h"
#include "worker/torch/local_model.h"

namespace meanfield {

// LabelScores (see there) without LibTorch: from the scores [texts, labels] of
// a batch to losses, gradients and predictions.
class BagLoss {
 public:
  BagLoss(const TextClassifierConfig& config, LossReduction reduction);

  // The scores become d(loss)/d(scores), where the loss of the step is the sum
  // or the mean of that of the texts. The sum is returned.
  LossSum Differentiate(const Batch& batch, std::span<float> scores) const;
  // Overwrites the scores.
  void Predict(const Batch& batch, std::span<float> scores,
               Predictions& predictions) const;

 private:
  float WeightOf(size_t label) const;
  std::span<const int32_t> LabelsOf(const Batch& batch, int64_t text) const;
  // The text's loss; its scores become probabilities.
  float LossOfOne(int32_t target, std::span<float> scores) const;
  float LossOfAll(std::span<const int32_t> targets,
                  std::span<float> scores) const;
  // Add a text's prediction. Its loss.
  float PredictOne(int32_t target, std::span<float> scores,
                   Predictions& predictions) const;
  float PredictAll(std::span<const int32_t> targets, std::span<float> scores,
                   Predictions& predictions) const;

  const ModelConfig config_;
  const LossReduction reduction_;
  const bool multi_label_;
  const size_t num_labels_;
  const std::vector<float> weights_;  // empty: all 1
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_BAG_LOSS_H_

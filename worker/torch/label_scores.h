#ifndef MEANFIELD_WORKER_TORCH_LABEL_SCORES_H_
#define MEANFIELD_WORKER_TORCH_LABEL_SCORES_H_

#include <ATen/core/Tensor.h>

#include "common/model/model_config.h"
#include "worker/torch/batch.h"
#include "worker/torch/local_model.h"

namespace meanfield {

// From a text classifier's scores [texts, labels], before softmax or sigmoid,
// to losses and predictions.
class LabelScores {
 public:
  LabelScores(const TextClassifierConfig& config, at::Device device);

  // Cross entropy added up over the texts; multi-label: binary cross entropy
  // added up over texts and labels. Each term times its label's weight.
  at::Tensor Loss(const at::Tensor& scores, const Batch& batch) const;
  void Predict(const at::Tensor& scores, const Batch& batch,
               Predictions& predictions) const;

 private:
  void PredictOne(const at::Tensor& scores, const Batch& batch,
                  Predictions& predictions) const;
  void PredictAll(const at::Tensor& scores, const Batch& batch,
                  Predictions& predictions) const;
  at::Tensor Classes(const Batch& batch) const;
  // [texts, labels], 1 for the labels that a text has.
  at::Tensor Indicators(const Batch& batch) const;

  const int64_t num_labels_;
  const bool multi_label_;
  const at::Device device_;
  at::Tensor weights_;  // undefined: all 1
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_LABEL_SCORES_H_

#ifndef MEANFIELD_WORKER_TORCH_PREDICTION_FILE_H_
#define MEANFIELD_WORKER_TORCH_PREDICTION_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "worker/torch/local_model.h"

namespace meanfield {

// The output of an EVALUATE or PREDICT unit: see EvaluateTask for its tensors.
class PredictionFile {
 public:
  enum class Kind { kEvaluate, kPredict };
  PredictionFile(Kind kind, bool multi_label)
      : kind_(kind), multi_label_(multi_label) {}

  // One batch of `num_items` items, in order. Returns its loss: the parts added
  // up in double in their order.
  LossSum Add(const Predictions& batch, int64_t num_items);
  absl::Status Write(const std::string& path) const;

 private:
  const Kind kind_;
  const bool multi_label_;
  std::vector<int32_t> classes_;
  std::vector<int64_t> class_offsets_ = {0};  // multi-label only
  std::vector<float> probabilities_;
  std::vector<double> batch_loss_;
  std::vector<int64_t> batch_items_;
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_PREDICTION_FILE_H_

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
  explicit PredictionFile(Kind kind) : kind_(kind) {}

  // One batch, in order. Its losses, added up in double in the items' order.
  LossSum Add(const Predictions& batch);
  absl::Status Write(const std::string& path) const;

 private:
  const Kind kind_;
  std::vector<int32_t> classes_;
  std::vector<float> probabilities_;
  std::vector<double> batch_loss_;
  std::vector<int64_t> batch_items_;
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_PREDICTION_FILE_H_

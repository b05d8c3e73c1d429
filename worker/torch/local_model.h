#ifndef MEANFIELD_WORKER_TORCH_LOCAL_MODEL_H_
#define MEANFIELD_WORKER_TORCH_LOCAL_MODEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/tensor/safetensors.h"
#include "common/tensor/tensor_spec.h"
#include "worker/torch/batch.h"

namespace meanfield {

// Losses of items added up in double.
struct LossSum {
  double sum = 0;
  int64_t count = 0;
};

// Of the items of a batch, in its order.
struct Predictions {
  std::vector<int32_t> classes;      // the likeliest; the first of equals
  std::vector<float> probabilities;  // of that class
  std::vector<float> losses;         // empty for a batch without targets
};

// One model on one device, for the length of one unit. One thread at a time.
class LocalModel {
 public:
  virtual ~LocalModel() = default;

  // In the order in which Save writes them.
  virtual std::vector<TensorSpec> Specs() const = 0;
  // `weights` must have passed CheckTensors(Specs(), weights).
  virtual void Load(const SafetensorsFile& weights) = 0;
  virtual absl::Status Save(const std::string& path) const = 0;

  // Forward, backward and one step of the optimizer at `learning_rate`. A
  // non-finite loss is returned, not an error: the weights are spoiled then.
  virtual LossSum Step(const Batch& batch, float learning_rate) = 0;
  // Without dropout.
  virtual void Predict(const Batch& batch, Predictions& predictions) = 0;
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_LOCAL_MODEL_H_

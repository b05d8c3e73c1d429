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
  // The likeliest; the first of equals. Multi-label: all labels of sample i are
  // classes[class_offsets[i] …], rising.
  std::vector<int32_t> classes;
  std::vector<int64_t> class_offsets;  // multi-label only
  std::vector<float> probabilities;    // of each class
  // Parts of the batch's loss, to be added in this order: of an item, or of a
  // sentence with a CRF. Empty for a batch without targets.
  std::vector<float> losses;
};

// One model on one device, for the length of one unit. One thread at a time.
class LocalModel {
 public:
  virtual ~LocalModel() = default;

  // Frozen ones as well.
  virtual std::vector<TensorSpec> Specs() const = 0;
  // Each tensor from the first of the files that has it; one that none has
  // keeps its value. Every tensor must have passed CheckTensors, and the files
  // must outlive the model: frozen tensors stay in them.
  virtual void Load(const std::vector<const SafetensorsFile*>& files) = 0;
  // All but the frozen tensors.
  virtual absl::Status Save(const std::string& path) const = 0;

  // Forward, backward and one step of the optimizer at `learning_rate`. A
  // non-finite loss is returned, not an error: the weights are spoiled then.
  virtual LossSum Step(const Batch& batch, float learning_rate) = 0;
  // Without dropout.
  virtual void Predict(const Batch& batch, Predictions& predictions) = 0;
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_LOCAL_MODEL_H_

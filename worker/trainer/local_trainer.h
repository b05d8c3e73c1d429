#ifndef MEANFIELD_WORKER_TRAINER_LOCAL_TRAINER_H_
#define MEANFIELD_WORKER_TRAINER_LOCAL_TRAINER_H_

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "common/model/encoded_shard.h"
#include "common/model/model_config.h"
#include "common/model/training_config.h"
#include "common/tensor/safetensors.h"
#include "common/tensor/tensor_spec.h"

namespace meanfield {

// Called after every step, on the trainer's thread; must be cheap.
struct StepProgress {
  uint64_t steps_done = 0;
  uint64_t tokens_done = 0;
  double loss_sum = 0;
  uint64_t loss_count = 0;
};
using ProgressFn = absl::FunctionRef<void(const StepProgress&)>;

// A TRAIN unit, all blobs on this machine. See plan.proto for the fields.
struct TrainTask {
  ModelConfig model;
  TrainingConfig training;
  const SafetensorsFile* global_model = nullptr;
  std::vector<const SafetensorsFile*> frozen;  // the tensors that stay
  EncodedShard data;
  uint64_t first_step = 0;
  uint64_t num_steps = 0;
  float lr_first = 0;
  float lr_last = 0;
  uint64_t seed = 0;
  uint64_t order_seed = 0;
  std::string output_path;  // the update is written here
};

struct TrainOutcome {
  uint64_t steps = 0;
  uint64_t examples = 0;
  uint64_t tokens = 0;
  double loss_sum = 0;
  uint64_t loss_count = 0;
  double input_wait_s = 0;
};

// An EVALUATE or PREDICT unit. Output tensors, in the shard's order:
//   predictions    I32 [N] (classifier) or [T] (tagger); multi-label: I32 [P],
//                  rising in each sample, and
//   prediction_offsets  I64 [N+1]; multi-label only
//   batch_loss     F64 [number of batches], sums over items; EVALUATE only
//   batch_items    I64 [number of batches]; EVALUATE only
//   probabilities  F32, of each prediction; PREDICT only
struct EvaluateTask {
  ModelConfig model;
  TrainingConfig training;
  // May hold the frozen tensors as well (an exported model does).
  const SafetensorsFile* model_weights = nullptr;
  std::vector<const SafetensorsFile*> frozen;
  EncodedShard data;
  bool with_loss = true;  // false: PREDICT
  std::string output_path;
};

// The compute of a worker: implemented with LibTorch, and by fakes in tests.
// One call at a time. Deterministic: equal tasks give equal bytes within a
// numerics class. Errors: CANCELLED within one step of a stop request;
// INVALID_ARGUMENT for blobs that do not fit the model (names the tensor);
// RESOURCE_EXHAUSTED for out of memory, naming the device; ABORTED with
// "diverged" for a non-finite loss, naming step and learning rate.
class LocalTrainer {
 public:
  virtual ~LocalTrainer() = default;

  // "cpu", or "cuda:0 NVIDIA H100 (GPU-…)".
  virtual std::string device() const = 0;
  // All that the bits depend on besides the task.
  virtual std::string numerics_class() const = 0;
  virtual uint64_t peak_memory_bytes() const = 0;

  // The first model, from a seed, on the CPU with one thread; tensors in
  // `given` have their values from there (word vectors that are fine-tuned).
  // The output lacks the frozen tensors; the specs have them, and everyone's
  // role.
  virtual absl::StatusOr<std::vector<TensorSpec>> Initialize(
      const ModelConfig& model, uint64_t seed,
      const std::vector<const SafetensorsFile*>& given,
      const std::string& output_path) = 0;
  virtual absl::StatusOr<TrainOutcome> Train(const TrainTask& task,
                                             std::stop_token stop,
                                             ProgressFn progress) = 0;
  virtual absl::Status Evaluate(const EvaluateTask& task, std::stop_token stop,
                                ProgressFn progress) = 0;
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TRAINER_LOCAL_TRAINER_H_

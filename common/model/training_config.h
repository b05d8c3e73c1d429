#ifndef MEANFIELD_COMMON_MODEL_TRAINING_CONFIG_H_
#define MEANFIELD_COMMON_MODEL_TRAINING_CONFIG_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "absl/status/statusor.h"

namespace meanfield {

enum class LossReduction { kSum, kMean };

// Of forward and backward passes, on GPUs only; weights stay float. kF16 scales
// the loss up and skips a step whose gradients overflow.
enum class Precision { kF32, kBF16, kF16 };

struct SgdConfig {
  double momentum = 0;
  double weight_decay = 0;
  bool nesterov = false;
  friend bool operator==(const SgdConfig&, const SgdConfig&) = default;
};

struct AdamConfig {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
  bool decoupled_weight_decay = false;  // true: AdamW
  friend bool operator==(const AdamConfig&, const AdamConfig&) = default;
};

// training.json: how a worker takes steps. The learning rate is not here: it
// comes with each unit, from the coordinator.
struct TrainingConfig {
  int64_t batch_size = 32;
  int64_t eval_batch_size = 64;
  LossReduction loss = LossReduction::kSum;
  std::variant<SgdConfig, AdamConfig> optimizer;
  std::optional<double> max_grad_norm;  // global L2
  // Samples per forward and backward pass; a step adds up as many passes as its
  // batch needs (gradient accumulation). Without it: the whole batch at once.
  std::optional<int64_t> micro_batch_size;
  // Tensors whose names lack "embeddings" learn at the rate times this.
  double decoder_learning_rate_factor = 1;
  Precision precision = Precision::kF32;
  friend bool operator==(const TrainingConfig&,
                         const TrainingConfig&) = default;
};

// As for ModelConfig; no max_grad_norm, no micro_batch_size is null.
std::string ToJson(const TrainingConfig& config);
absl::StatusOr<TrainingConfig> ParseTrainingConfig(std::string_view json);

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_MODEL_TRAINING_CONFIG_H_

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
  friend bool operator==(const TrainingConfig&,
                         const TrainingConfig&) = default;
};

// As for ModelConfig; no max_grad_norm is null.
std::string ToJson(const TrainingConfig& config);
absl::StatusOr<TrainingConfig> ParseTrainingConfig(std::string_view json);

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_MODEL_TRAINING_CONFIG_H_

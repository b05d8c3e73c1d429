#include "worker/torch/loss_divisor.h"

#include <variant>
#include <vector>

namespace meanfield {
namespace {

bool IsMultiLabel(const ModelConfig& config) {
  const auto* classifier = std::get_if<TextClassifierConfig>(&config.model);
  return classifier != nullptr && classifier->multi_label;
}

}  // namespace

double LossDivisor(const ModelConfig& config, const Batch& batch) {
  const std::vector<double>& weights = std::visit(
      [](const auto& model) -> const auto& { return model.label_weights; },
      config.model);
  if (weights.empty() || IsMultiLabel(config)) {
    return static_cast<double>(batch.num_items);
  }
  double sum = 0;
  for (const int32_t target : batch.targets) sum += weights[target];
  return sum > 0 ? sum : 1;
}

}  // namespace meanfield

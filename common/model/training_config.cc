#include "common/model/training_config.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/check.h"
#include "common/base/status.h"
#include "common/model/json_reader.h"
#include "nlohmann/json.hpp"

namespace meanfield {
namespace {

using nlohmann::ordered_json;

constexpr int64_t kMaxBatch = int64_t{1} << 30;
// In the order of Precision.
constexpr std::string_view kPrecisions[] = {"f32", "bf16", "f16"};
constexpr double kNoMaximum = std::numeric_limits<double>::infinity();
constexpr double kAboveZero = std::numeric_limits<double>::denorm_min();

// JSON has no word for NaN and infinity: they would come back as null.
void CheckFinite(std::initializer_list<double> numbers) {
  for (const double number : numbers) {
    MEANFIELD_CHECK(std::isfinite(number), "training.json");
  }
}

ordered_json OptimizerJson(const SgdConfig& sgd) {
  CheckFinite({sgd.momentum, sgd.weight_decay});
  return {{"type", "sgd"},
          {"momentum", sgd.momentum},
          {"weight_decay", sgd.weight_decay},
          {"nesterov", sgd.nesterov}};
}

ordered_json OptimizerJson(const AdamConfig& adam) {
  CheckFinite({adam.beta1, adam.beta2, adam.eps, adam.weight_decay});
  return {{"type", adam.decoupled_weight_decay ? "adamw" : "adam"},
          {"beta1", adam.beta1},
          {"beta2", adam.beta2},
          {"eps", adam.eps},
          {"weight_decay", adam.weight_decay}};
}

SgdConfig ReadSgd(JsonReader& reader) {
  SgdConfig sgd;
  sgd.momentum = reader.Number("momentum", 0, 1);
  sgd.weight_decay = reader.Number("weight_decay", 0, kNoMaximum);
  sgd.nesterov = reader.Bool("nesterov");
  reader.Require(!sgd.nesterov || sgd.momentum > 0, "nesterov",
                 "a momentum above 0 with it");
  return sgd;
}

AdamConfig ReadAdam(JsonReader& reader) {
  AdamConfig adam;
  adam.beta1 = reader.Number("beta1", 0, 1);
  adam.beta2 = reader.Number("beta2", 0, 1);
  adam.eps = reader.Number("eps", kAboveZero, kNoMaximum);
  adam.weight_decay = reader.Number("weight_decay", 0, kNoMaximum);
  return adam;
}

std::variant<SgdConfig, AdamConfig> ReadOptimizer(JsonReader reader) {
  std::variant<SgdConfig, AdamConfig> optimizer;
  const size_t type = reader.Choice("type", {"sgd", "adam", "adamw"});
  if (type == 0) {
    optimizer = ReadSgd(reader);
  } else {
    AdamConfig adam = ReadAdam(reader);
    adam.decoupled_weight_decay = type == 2;
    optimizer = adam;
  }
  reader.Finish();
  return optimizer;
}

}  // namespace

std::string ToJson(const TrainingConfig& config) {
  CheckFinite(
      {config.max_grad_norm.value_or(0), config.decoder_learning_rate_factor});
  ordered_json json = {
      {"batch_size", config.batch_size},
      {"eval_batch_size", config.eval_batch_size},
      {"loss", config.loss == LossReduction::kSum ? "sum" : "mean"},
      {"optimizer", std::visit([](const auto& o) { return OptimizerJson(o); },
                               config.optimizer)},
      {"max_grad_norm", nullptr},
      {"micro_batch_size", nullptr},
      {"decoder_learning_rate_factor", config.decoder_learning_rate_factor},
      {"precision", kPrecisions[static_cast<size_t>(config.precision)]}};
  if (config.max_grad_norm) json["max_grad_norm"] = *config.max_grad_norm;
  if (config.micro_batch_size) {
    json["micro_batch_size"] = *config.micro_batch_size;
  }
  return json.dump(2) + "\n";
}

absl::StatusOr<TrainingConfig> ParseTrainingConfig(std::string_view json) {
  absl::StatusOr<nlohmann::json> root = ParseJsonObject(json);
  if (!root.ok()) return Annotate(root.status(), "training.json");
  absl::Status fault;
  JsonReader reader(*root, fault);
  TrainingConfig config;
  config.batch_size = reader.Integer("batch_size", 1, kMaxBatch);
  config.eval_batch_size = reader.Integer("eval_batch_size", 1, kMaxBatch);
  config.loss = reader.Choice("loss", {"sum", "mean"}) == 0
                    ? LossReduction::kSum
                    : LossReduction::kMean;
  config.optimizer = ReadOptimizer(reader.Object("optimizer"));
  config.max_grad_norm =
      reader.NumberOrNull("max_grad_norm", kAboveZero, kNoMaximum);
  config.micro_batch_size =
      reader.IntegerOrNull("micro_batch_size", 1, config.batch_size);
  config.decoder_learning_rate_factor =
      reader.Number("decoder_learning_rate_factor", 0, kNoMaximum);
  config.precision = static_cast<Precision>(reader.Choice(
      "precision", {std::begin(kPrecisions), std::end(kPrecisions)}));
  reader.Finish();
  if (!fault.ok()) return Annotate(fault, "training.json");
  return config;
}

}  // namespace meanfield

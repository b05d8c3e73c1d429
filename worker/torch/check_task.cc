#include "worker/torch/check_task.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <variant>

#include "common/base/status.h"
#include "common/base/strings.h"

namespace meanfield {
namespace {

absl::Status CheckRange(std::string_view what, int64_t value, int64_t least,
                        int64_t most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat(what, " is ", value, ", expected ", least, " to ", most));
}

absl::Status CheckProbability(std::string_view what, double value) {
  if (value >= 0 && value < 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat(what, " is ", value, ", expected 0 or more, and below 1"));
}

constexpr int64_t kMaxSize = std::numeric_limits<int32_t>::max();

absl::Status CheckEmbeddings(const OneHotEmbeddings& embeddings) {
  MEANFIELD_RETURN_IF_ERROR(CheckRange("embeddings.num_embeddings",
                                       embeddings.num_embeddings, 1, kMaxSize));
  return CheckRange("embeddings.embedding_size", embeddings.embedding_size, 1,
                    1 << 20);
}

absl::Status CheckModel(const TextClassifierConfig& model) {
  MEANFIELD_RETURN_IF_ERROR(CheckEmbeddings(model.embeddings));
  MEANFIELD_RETURN_IF_ERROR(
      CheckRange("ngram_buckets", model.ngram_buckets, 0,
                 kMaxSize - model.embeddings.num_embeddings));
  return CheckRange("num_labels", model.num_labels, 1, kMaxSize);
}

absl::Status CheckModel(const SequenceTaggerConfig& model) {
  MEANFIELD_RETURN_IF_ERROR(CheckEmbeddings(model.embeddings));
  MEANFIELD_RETURN_IF_ERROR(
      CheckRange("hidden_size", model.hidden_size, 1, 1 << 20));
  MEANFIELD_RETURN_IF_ERROR(CheckRange("num_layers", model.num_layers, 1, 64));
  MEANFIELD_RETURN_IF_ERROR(
      CheckRange("num_tags", model.num_tags, 1, kMaxSize));
  MEANFIELD_RETURN_IF_ERROR(CheckProbability("dropout", model.dropout));
  MEANFIELD_RETURN_IF_ERROR(
      CheckProbability("word_dropout", model.word_dropout));
  return CheckProbability("locked_dropout", model.locked_dropout);
}

absl::Status CheckBelow(std::string_view tensor, std::string_view of,
                        std::span<const int32_t> values, int64_t bound) {
  // One pass that vectorises; the place is looked for only when it is wanted.
  int32_t least = 0;
  int32_t most = 0;
  for (const int32_t value : values) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  if (least >= 0 && most < bound) return absl::OkStatus();
  const auto bad = std::find_if(
      values.begin(), values.end(),
      [bound](int32_t value) { return value < 0 || value >= bound; });
  if (bad == values.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("tensor ", tensor, " of the shard holds ", *bad, " at position ",
             bad - values.begin(), ", but the model has ", bound, " ", of,
             " (expected 0 to ", bound - 1,
             "): shard and model.json do not belong together"));
}

absl::Status CheckTargets(std::string_view tensor, std::string_view of,
                          std::span<const int32_t> values, size_t count,
                          int64_t bound) {
  if (values.size() != count) {
    return absl::InvalidArgumentError(StrCat(
        "tensor ", tensor, " of the shard has ", values.size(),
        " elements, expected ", count, ": training and evaluating need the ",
        "right answer of every item"));
  }
  return CheckBelow(tensor, of, values, bound);
}

}  // namespace

absl::Status CheckModelConfig(const ModelConfig& config) {
  return Annotate(
      std::visit([](const auto& model) { return CheckModel(model); },
                 config.model),
      "model.json");
}

absl::Status CheckTrainingConfig(const TrainingConfig& config) {
  MEANFIELD_RETURN_IF_ERROR(
      CheckRange("training.json: batch_size", config.batch_size, 1, kMaxSize));
  MEANFIELD_RETURN_IF_ERROR(CheckRange("training.json: eval_batch_size",
                                       config.eval_batch_size, 1, kMaxSize));
  if (config.max_grad_norm && !(*config.max_grad_norm > 0)) {
    return absl::InvalidArgumentError(
        StrCat("training.json: max_grad_norm is ", *config.max_grad_norm,
               ", expected more than 0 (leave it out not to clip)"));
  }
  const auto* sgd = std::get_if<SgdConfig>(&config.optimizer);
  if (sgd != nullptr && sgd->nesterov && !(sgd->momentum > 0)) {
    return absl::InvalidArgumentError(
        "training.json: nesterov needs a momentum above 0");
  }
  return absl::OkStatus();
}

absl::Status CheckShard(const ModelConfig& config, const EncodedShard& shard,
                        Targets targets) {
  const bool needed = targets == Targets::kNeeded;
  if (const auto* bag = std::get_if<TextClassifierConfig>(&config.model)) {
    MEANFIELD_RETURN_IF_ERROR(
        CheckBelow("ids", "embeddings", shard.ids,
                   bag->embeddings.num_embeddings + bag->ngram_buckets));
    if (!needed) return absl::OkStatus();
    return CheckTargets("labels", "labels", shard.labels, shard.size(),
                        bag->num_labels);
  }
  const auto& tagger = std::get<SequenceTaggerConfig>(config.model);
  MEANFIELD_RETURN_IF_ERROR(CheckBelow("ids", "embeddings", shard.ids,
                                       tagger.embeddings.num_embeddings));
  if (!needed) return absl::OkStatus();
  return CheckTargets("tags", "tags", shard.tags, shard.ids.size(),
                      tagger.num_tags);
}

absl::Status CheckTensors(const std::vector<TensorSpec>& specs,
                          const SafetensorsFile& file) {
  for (const TensorSpec& spec : specs) {
    const TensorView* found = file.Find(spec.name);
    if (found == nullptr) {
      return absl::InvalidArgumentError(
          StrCat("the weights lack tensor ", DebugString(spec),
                 ": they belong to another model"));
    }
    if (found->spec.dtype != spec.dtype || found->spec.shape != spec.shape) {
      return absl::InvalidArgumentError(
          StrCat("the weights hold tensor ", DebugString(found->spec),
                 ", but model.json says ", DebugString(spec)));
    }
  }
  for (const TensorView& tensor : file.tensors()) {
    const bool known = std::any_of(
        specs.begin(), specs.end(),
        [&](const TensorSpec& spec) { return spec.name == tensor.spec.name; });
    if (!known) {
      return absl::InvalidArgumentError(
          StrCat("the weights hold tensor ", DebugString(tensor.spec),
                 ", which the model does not have"));
    }
  }
  return absl::OkStatus();
}

}  // namespace meanfield

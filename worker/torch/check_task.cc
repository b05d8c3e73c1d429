#include "worker/torch/check_task.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
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

constexpr int64_t kMaxWidth = 1 << 20;
constexpr int64_t kMaxSize = std::numeric_limits<int32_t>::max();

absl::Status CheckEmbedding(const OneHotEmbeddings& embeddings) {
  MEANFIELD_RETURN_IF_ERROR(CheckRange("embeddings.num_embeddings",
                                       embeddings.num_embeddings, 1, kMaxSize));
  return CheckRange("embeddings.embedding_size", embeddings.embedding_size, 1,
                    kMaxWidth);
}

absl::Status CheckEmbedding(const WordEmbeddings& embeddings) {
  MEANFIELD_RETURN_IF_ERROR(CheckRange("embeddings.num_embeddings",
                                       embeddings.num_embeddings, 1, kMaxSize));
  return CheckRange("embeddings.embedding_size", embeddings.embedding_size, 1,
                    kMaxWidth);
}

absl::Status CheckEmbedding(const CharacterEmbeddings& embeddings) {
  MEANFIELD_RETURN_IF_ERROR(CheckRange("embeddings.num_characters",
                                       embeddings.num_characters, 1, kMaxSize));
  MEANFIELD_RETURN_IF_ERROR(CheckRange(
      "embeddings.embedding_size", embeddings.embedding_size, 1, kMaxWidth));
  return CheckRange("embeddings.hidden_size", embeddings.hidden_size, 1,
                    kMaxWidth);
}

absl::Status CheckEmbeddings(const std::vector<Embeddings>& embeddings) {
  if (embeddings.empty()) {
    return absl::InvalidArgumentError("embeddings are empty");
  }
  for (const Embeddings& each : embeddings) {
    MEANFIELD_RETURN_IF_ERROR(std::visit(
        [](const auto& config) { return CheckEmbedding(config); }, each));
  }
  return absl::OkStatus();
}

absl::Status CheckRnn(const RnnConfig& rnn) {
  MEANFIELD_RETURN_IF_ERROR(
      CheckRange("rnn.hidden_size", rnn.hidden_size, 1, kMaxWidth));
  return CheckRange("rnn.num_layers", rnn.num_layers, 1, 64);
}

absl::Status CheckWeights(const std::vector<double>& weights, int64_t labels) {
  if (weights.empty()) return absl::OkStatus();
  if (static_cast<int64_t>(weights.size()) != labels) {
    return absl::InvalidArgumentError(
        StrCat("label_weights has ", weights.size(), " numbers, expected ",
               labels, ", one for each label"));
  }
  for (const double weight : weights) {
    if (weight >= 0 && std::isfinite(weight)) continue;
    return absl::InvalidArgumentError(StrCat(
        "label_weights holds ", weight, ", expected finite numbers from 0"));
  }
  return absl::OkStatus();
}

absl::Status CheckDropouts(double dropout, double word_dropout,
                           double locked_dropout) {
  MEANFIELD_RETURN_IF_ERROR(CheckProbability("dropout", dropout));
  MEANFIELD_RETURN_IF_ERROR(CheckProbability("word_dropout", word_dropout));
  return CheckProbability("locked_dropout", locked_dropout);
}

absl::Status CheckDocument(const TextClassifierConfig& model,
                           const BagConfig& bag) {
  const auto* words = std::get_if<OneHotEmbeddings>(&model.embeddings.front());
  if (model.embeddings.size() != 1 || words == nullptr) {
    return absl::InvalidArgumentError(
        "a bag takes one embedding, a one-hot one");
  }
  return CheckRange("ngram_buckets", bag.ngram_buckets, 0,
                    kMaxSize - words->num_embeddings);
}

absl::Status CheckDocument(const TextClassifierConfig&,
                           const DocumentRnnConfig& document) {
  MEANFIELD_RETURN_IF_ERROR(CheckRnn(document.rnn));
  if (document.reproject_words_dimension) {
    MEANFIELD_RETURN_IF_ERROR(CheckRange("reproject_words_dimension",
                                         *document.reproject_words_dimension, 1,
                                         kMaxWidth));
  }
  return CheckDropouts(document.dropout, document.word_dropout,
                       document.locked_dropout);
}

absl::Status CheckModel(const TextClassifierConfig& model) {
  MEANFIELD_RETURN_IF_ERROR(CheckEmbeddings(model.embeddings));
  MEANFIELD_RETURN_IF_ERROR(std::visit(
      [&](const auto& document) { return CheckDocument(model, document); },
      model.document));
  MEANFIELD_RETURN_IF_ERROR(
      CheckRange("num_labels", model.num_labels, 1, kMaxSize));
  return CheckWeights(model.label_weights, model.num_labels);
}

absl::Status CheckModel(const SequenceTaggerConfig& model) {
  MEANFIELD_RETURN_IF_ERROR(CheckEmbeddings(model.embeddings));
  MEANFIELD_RETURN_IF_ERROR(CheckRnn(model.rnn));
  const int64_t least = model.crf ? 3 : 1;  // with <START> and <STOP>
  MEANFIELD_RETURN_IF_ERROR(
      CheckRange("num_tags", model.num_tags, least, kMaxSize));
  if (model.crf && !model.label_weights.empty()) {
    return absl::InvalidArgumentError("a CRF takes no label_weights");
  }
  MEANFIELD_RETURN_IF_ERROR(CheckWeights(model.label_weights, model.num_tags));
  return CheckDropouts(model.dropout, model.word_dropout, model.locked_dropout);
}

absl::Status CheckTensor(const TensorSpec& spec,
                         const std::vector<const SafetensorsFile*>& files) {
  bool found = false;
  for (const SafetensorsFile* file : files) {
    const TensorView* tensor = file->Find(spec.name);
    if (tensor == nullptr) continue;
    found = true;
    if (tensor->spec.dtype == spec.dtype && tensor->spec.shape == spec.shape) {
      continue;
    }
    return absl::InvalidArgumentError(
        StrCat("the weights hold tensor ", DebugString(tensor->spec),
               ", but model.json says ", DebugString(spec)));
  }
  if (found) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("the ", spec.role == TensorRole::kFrozen ? "frozen " : "",
             "weights lack tensor ", DebugString(spec),
             ": they belong to another model"));
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
  if (config.micro_batch_size) {
    MEANFIELD_RETURN_IF_ERROR(CheckRange("training.json: micro_batch_size",
                                         *config.micro_batch_size, 1,
                                         kMaxSize));
  }
  const double factor = config.decoder_learning_rate_factor;
  if (!(factor >= 0) || !std::isfinite(factor)) {
    return absl::InvalidArgumentError(
        StrCat("training.json: decoder_learning_rate_factor is ", factor,
               ", expected a finite number from 0"));
  }
  const auto* sgd = std::get_if<SgdConfig>(&config.optimizer);
  if (sgd != nullptr && sgd->nesterov && !(sgd->momentum > 0)) {
    return absl::InvalidArgumentError(
        "training.json: nesterov needs a momentum above 0");
  }
  return absl::OkStatus();
}

absl::Status CheckTensors(const std::vector<TensorSpec>& specs,
                          const std::vector<const SafetensorsFile*>& files) {
  for (const TensorSpec& spec : specs) {
    MEANFIELD_RETURN_IF_ERROR(CheckTensor(spec, files));
  }
  for (const SafetensorsFile* file : files) {
    for (const TensorView& tensor : file->tensors()) {
      const bool known =
          std::any_of(specs.begin(), specs.end(), [&](const TensorSpec& spec) {
            return spec.name == tensor.spec.name;
          });
      if (known) continue;
      return absl::InvalidArgumentError(
          StrCat("the weights hold tensor ", DebugString(tensor.spec),
                 ", which the model does not have"));
    }
  }
  return absl::OkStatus();
}

}  // namespace meanfield

#include "tests/support/driver/toy_trainer.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/base/random.h"
#include "common/base/status.h"
#include "worker/trainer/batch_order.h"

namespace meanfield::testing {
namespace {

constexpr int64_t kFeatures = 64;

std::vector<TensorSpec> Specs(int64_t labels,
                              const std::vector<TensorView>& others) {
  std::vector<TensorSpec> specs = {
      {.name = "bias", .shape = {labels}},
      {.name = "steps",
       .dtype = DType::kI64,
       .shape = {},
       .role = TensorRole::kCounter},
      {.name = "weight", .shape = {labels, kFeatures}}};
  for (const TensorView& other : others) specs.push_back(other.spec);
  return specs;
}

// The parameters in memory, as doubles.
struct Model {
  int64_t labels = 0;
  std::vector<float> bias;
  std::vector<float> weight;
  int64_t steps = 0;
  // Tensors that take no part: views into the file they came from.
  std::vector<TensorView> others;
};

bool IsOther(const TensorView& tensor) {
  const std::string& name = tensor.spec.name;
  return name != "bias" && name != "weight" && name != "steps";
}

absl::StatusOr<Model> Load(const SafetensorsFile& file) {
  MEANFIELD_ASSIGN_OR_RETURN(const TensorView bias,
                             file.Get("bias", DType::kF32, 1));
  MEANFIELD_ASSIGN_OR_RETURN(const TensorView weight,
                             file.Get("weight", DType::kF32, 2));
  MEANFIELD_ASSIGN_OR_RETURN(const TensorView steps,
                             file.Get("steps", DType::kI64, 0));
  const auto b = bias.As<float>();
  const auto w = weight.As<float>();
  Model model{.labels = static_cast<int64_t>(b.size()),
              .bias = {b.begin(), b.end()},
              .weight = {w.begin(), w.end()},
              .steps = steps.As<int64_t>()[0]};
  std::ranges::copy_if(file.tensors(), std::back_inserter(model.others),
                       IsOther);
  return model;
}

absl::Status Save(const Model& model, const std::string& path) {
  MEANFIELD_ASSIGN_OR_RETURN(
      SafetensorsWriter writer,
      SafetensorsWriter::Create(path, Specs(model.labels, model.others)));
  for (const TensorView& other : model.others) {
    std::ranges::copy(other.bytes, writer.Mutable(other.spec.name).begin());
  }
  std::copy(model.bias.begin(), model.bias.end(),
            writer.MutableAs<float>("bias").begin());
  std::copy(model.weight.begin(), model.weight.end(),
            writer.MutableAs<float>("weight").begin());
  writer.MutableAs<int64_t>("steps")[0] = model.steps;
  return writer.Finish();
}

std::vector<float> Features(const EncodedShard& data, int64_t sample) {
  std::vector<float> counts(kFeatures, 0);
  const int64_t begin = data.offsets[sample];
  const int64_t end = data.offsets[sample + 1];
  for (int64_t i = begin; i < end; ++i) counts[data.ids[i] % kFeatures] += 1;
  for (float& count : counts) count /= std::max<int64_t>(end - begin, 1);
  return counts;
}

std::vector<double> Probabilities(const Model& model,
                                  const std::vector<float>& features) {
  std::vector<double> p(model.labels);
  double sum = 0;
  for (int64_t label = 0; label < model.labels; ++label) {
    double logit = model.bias[label];
    for (int64_t f = 0; f < kFeatures; ++f) {
      logit += static_cast<double>(model.weight[label * kFeatures + f]) *
               features[f];
    }
    p[label] = std::exp(logit);
    sum += p[label];
  }
  for (double& value : p) value /= sum;
  return p;
}

// One sample's part of a step; its loss.
double Learn(Model& model, const std::vector<float>& features, int32_t label,
             float rate) {
  const std::vector<double> p = Probabilities(model, features);
  for (int64_t k = 0; k < model.labels; ++k) {
    const auto step = static_cast<float>(rate * (p[k] - (k == label ? 1 : 0)));
    model.bias[k] -= step;
    for (int64_t f = 0; f < kFeatures; ++f) {
      model.weight[k * kFeatures + f] -= step * features[f];
    }
  }
  return -std::log(p[label]);
}

struct Predicted {
  std::vector<int32_t> labels;
  std::vector<float> probabilities;
  std::vector<double> batch_loss;
  std::vector<int64_t> batch_items;
};

Predicted Predict(const Model& model, const EncodedShard& data, int64_t batch) {
  Predicted predicted;
  for (int64_t i = 0; i < data.size(); ++i) {
    const std::vector<double> p = Probabilities(model, Features(data, i));
    const auto best = std::max_element(p.begin(), p.end());
    predicted.labels.push_back(static_cast<int32_t>(best - p.begin()));
    predicted.probabilities.push_back(static_cast<float>(*best));
    if (i % batch == 0) {
      predicted.batch_loss.push_back(0);
      predicted.batch_items.push_back(0);
    }
    ++predicted.batch_items.back();
    if (!data.labels.empty()) {
      predicted.batch_loss.back() -= std::log(p[data.labels[i]]);
    }
  }
  return predicted;
}

template <typename T>
TensorView View(const char* name, const std::vector<T>& values) {
  return {.spec = {.name = name,
                   .dtype = DTypeOf<T>(),
                   .shape = {static_cast<int64_t>(values.size())}},
          .bytes = std::as_bytes(std::span(values))};
}

// The frozen word vectors of a model, as tensors.
std::vector<TensorSpec> FrozenSpecs(const ModelConfig& model) {
  const auto& config = std::get<TextClassifierConfig>(model.model);
  std::vector<TensorSpec> specs;
  for (size_t i = 0; i < config.embeddings.size(); ++i) {
    const auto* words = std::get_if<WordEmbeddings>(&config.embeddings[i]);
    if (words == nullptr || words->fine_tune) continue;
    specs.push_back(
        {.name = absl::StrCat("embeddings.embeddings.list_embedding_", i,
                              ".embedding.weight"),
         .shape = {words->num_embeddings, words->embedding_size},
         .role = TensorRole::kFrozen});
  }
  return specs;
}

absl::Status CheckFrozen(const ModelConfig& model,
                         const std::vector<const SafetensorsFile*>& files) {
  for (const TensorSpec& spec : FrozenSpecs(model)) {
    const bool there =
        std::ranges::any_of(files, [&](const SafetensorsFile* file) {
          const TensorView* tensor = file->Find(spec.name);
          return tensor != nullptr && tensor->spec.shape == spec.shape;
        });
    if (there) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("no frozen tensor ", DebugString(spec)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<TensorSpec>> ToyTrainer::Initialize(
    const ModelConfig& model, uint64_t seed,
    const std::vector<const SafetensorsFile*>& given,
    const std::string& output_path) {
  const auto& config = std::get<TextClassifierConfig>(model.model);
  Model first{.labels = config.num_labels,
              .bias = std::vector<float>(config.num_labels, 0),
              .weight = std::vector<float>(config.num_labels * kFeatures)};
  CounterRng rng(seed);
  for (float& value : first.weight) {
    value = static_cast<float>(rng.Below(2001)) / 100'000 - 0.01f;
  }
  for (const SafetensorsFile* file : given) {
    std::ranges::copy(file->tensors(), std::back_inserter(first.others));
  }
  MEANFIELD_RETURN_IF_ERROR(Save(first, output_path));
  std::vector<TensorSpec> specs = Specs(first.labels, first.others);
  std::ranges::copy(FrozenSpecs(model), std::back_inserter(specs));
  return specs;
}

absl::StatusOr<TrainOutcome> ToyTrainer::Train(const TrainTask& task,
                                               std::stop_token stop,
                                               ProgressFn progress) {
  MEANFIELD_RETURN_IF_ERROR(CheckFrozen(task.model, task.frozen));
  MEANFIELD_ASSIGN_OR_RETURN(Model model, Load(*task.global_model));
  BatchOrder order(task.data.size(), task.training.batch_size, task.order_seed);
  TrainOutcome outcome;
  for (uint64_t step = 0; step < task.num_steps; ++step) {
    if (stop.stop_requested()) return absl::CancelledError("stopped");
    const auto rate = static_cast<float>(
        task.lr_first + (static_cast<double>(task.lr_last) - task.lr_first) *
                            static_cast<double>(step) / task.num_steps);
    for (const int64_t sample : order.Batch(task.first_step + step)) {
      outcome.loss_sum += Learn(model, Features(task.data, sample),
                                task.data.labels[sample], rate);
      ++outcome.loss_count;
      ++outcome.examples;
      outcome.tokens += static_cast<uint64_t>(task.data.offsets[sample + 1] -
                                              task.data.offsets[sample]);
    }
    ++model.steps;
    outcome.steps = step + 1;
    progress({.steps_done = outcome.steps,
              .tokens_done = outcome.tokens,
              .loss_sum = outcome.loss_sum,
              .loss_count = outcome.loss_count});
  }
  MEANFIELD_RETURN_IF_ERROR(Save(model, task.output_path));
  return outcome;
}

absl::Status ToyTrainer::Evaluate(const EvaluateTask& task, std::stop_token,
                                  ProgressFn progress) {
  std::vector<const SafetensorsFile*> files = task.frozen;
  files.push_back(task.model_weights);
  MEANFIELD_RETURN_IF_ERROR(CheckFrozen(task.model, files));
  MEANFIELD_ASSIGN_OR_RETURN(const Model model, Load(*task.model_weights));
  const Predicted predicted =
      Predict(model, task.data, task.training.eval_batch_size);
  progress({.steps_done = 1});
  std::vector<TensorView> tensors = {View("predictions", predicted.labels)};
  if (task.with_loss) {
    tensors.push_back(View("batch_loss", predicted.batch_loss));
    tensors.push_back(View("batch_items", predicted.batch_items));
  } else {
    tensors.push_back(View("probabilities", predicted.probabilities));
  }
  return WriteSafetensors(task.output_path, tensors);
}

}  // namespace meanfield::testing

#include "worker/torch/torch_trainer.h"

#include <cmath>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "worker/torch/autograd_model.h"
#include "worker/torch/batch.h"
#include "worker/torch/check_shard.h"
#include "worker/torch/check_task.h"
#include "worker/torch/device.h"
#include "worker/torch/given_tensors.h"
#include "worker/torch/local_model.h"
#include "worker/torch/optimizer.h"
#include "worker/torch/prediction_file.h"
#include "worker/torch/sparse_bag.h"
#include "worker/trainer/batch_order.h"

namespace meanfield {
namespace {

const TextClassifierConfig* AsBag(const ModelConfig& config) {
  const auto* classifier = std::get_if<TextClassifierConfig>(&config.model);
  const bool bag = classifier != nullptr &&
                   std::holds_alternative<BagConfig>(classifier->document);
  return bag ? classifier : nullptr;
}

std::unique_ptr<LocalModel> MakeTrainingModel(const ModelConfig& config,
                                              const TrainingConfig& training,
                                              const Device& device) {
  const TextClassifierConfig* bag = AsBag(config);
  if (bag != nullptr && !device.gpu && LeavesUnusedRowsAlone(training)) {
    return std::make_unique<SparseBag>(*bag, training);
  }
  return MakeAutogradModel(config, training, device);
}

std::unique_ptr<LocalModel> MakeEvaluationModel(const ModelConfig& config,
                                                const TrainingConfig& training,
                                                const Device& device) {
  const TextClassifierConfig* bag = AsBag(config);
  if (bag != nullptr && !device.gpu) {
    return std::make_unique<SparseBag>(*bag, training);
  }
  return MakeAutogradModel(config, training, device);
}

bool IsMultiLabel(const ModelConfig& config) {
  const auto* classifier = std::get_if<TextClassifierConfig>(&config.model);
  return classifier != nullptr && classifier->multi_label;
}

// The model first: an exported one holds the frozen tensors as well.
std::vector<const SafetensorsFile*> WeightFiles(
    const SafetensorsFile* model, std::vector<const SafetensorsFile*> frozen) {
  frozen.insert(frozen.begin(), model);
  return frozen;
}

absl::Status CheckPrecision(const TrainingConfig& training,
                            const Device& device) {
  if (training.precision == Precision::kF32 || device.gpu) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      StrCat("training.precision ",
             training.precision == Precision::kBF16 ? "BF16" : "F16",
             " needs a GPU, but this worker computes on ", device.name,
             ": train on GPUs, or leave precision out"));
}

// See TrainWork in plan.proto.
float LearningRate(const TrainTask& task, uint64_t step) {
  const double first = task.lr_first;
  const double last = task.lr_last;
  return static_cast<float>(first + (last - first) * static_cast<double>(step) /
                                        static_cast<double>(task.num_steps));
}

absl::Status Diverged(const TrainTask& task, uint64_t step, float learning_rate,
                      double loss) {
  return absl::AbortedError(
      StrCat("diverged at step ", step + 1, " of ", task.num_steps, " (step ",
             task.first_step + step + 1, " of the shard), learning rate ",
             learning_rate, ": the loss is ", loss,
             "; lower the learning rate or set max_grad_norm"));
}

absl::Status CheckTask(const ModelConfig& model, const TrainingConfig& training,
                       const EncodedShard& data, Targets targets) {
  MEANFIELD_RETURN_IF_ERROR(CheckModelConfig(model));
  MEANFIELD_RETURN_IF_ERROR(CheckTrainingConfig(training));
  return CheckShard(model, data, targets);
}

class TorchTrainer : public LocalTrainer {
 public:
  TorchTrainer(Device device, Clock& clock)
      : device_(std::move(device)), clock_(clock) {}

  std::string device() const override { return device_.name; }
  std::string numerics_class() const override { return device_.numerics_class; }
  uint64_t peak_memory_bytes() const override {
    return PeakMemoryBytes(device_);
  }

  absl::StatusOr<std::vector<TensorSpec>> Initialize(
      const ModelConfig& model, uint64_t seed,
      const std::vector<const SafetensorsFile*>& given,
      const std::string& output_path) override;
  absl::StatusOr<TrainOutcome> Train(const TrainTask& task,
                                     std::stop_token stop,
                                     ProgressFn progress) override;
  absl::Status Evaluate(const EvaluateTask& task, std::stop_token stop,
                        ProgressFn progress) override;

 private:
  absl::Status TrainSteps(const TrainTask& task, std::stop_token stop,
                          ProgressFn progress, TrainOutcome& outcome);
  absl::Status EvaluateBatches(const EvaluateTask& task, std::stop_token stop,
                               ProgressFn progress);

  const Device device_;
  Clock& clock_;
};

absl::StatusOr<std::vector<TensorSpec>> TorchTrainer::Initialize(
    const ModelConfig& model, uint64_t seed,
    const std::vector<const SafetensorsFile*>& given,
    const std::string& output_path) {
  MEANFIELD_RETURN_IF_ERROR(CheckModelConfig(model));
  std::vector<TensorSpec> specs;
  const Device cpu{.name = "cpu"};
  MEANFIELD_RETURN_IF_ERROR(CatchTorchErrors(
      cpu, "the model is too large: lower its sizes", [&]() -> absl::Status {
        SeedTorch(seed);
        const std::unique_ptr<LocalModel> first = MakeInitialModel(model);
        specs = first->Specs();
        MEANFIELD_RETURN_IF_ERROR(CheckGivenTensors(model, specs, given));
        first->Load(given);
        return first->Save(output_path);
      }));
  return specs;
}

absl::StatusOr<TrainOutcome> TorchTrainer::Train(const TrainTask& task,
                                                 std::stop_token stop,
                                                 ProgressFn progress) {
  MEANFIELD_RETURN_IF_ERROR(
      CheckTask(task.model, task.training, task.data, Targets::kNeeded));
  MEANFIELD_RETURN_IF_ERROR(CheckPrecision(task.training, device_));
  if (task.data.size() < 1 && task.num_steps > 0) {
    return absl::InvalidArgumentError("the shard to train on has no samples");
  }
  TrainOutcome outcome;
  MEANFIELD_RETURN_IF_ERROR(CatchTorchErrors(
      device_,
      StrCat("lower training.batch_size (now ", task.training.batch_size,
             "), set training.micro_batch_size below it, or lower the sizes "
             "of the model"),
      [&] { return TrainSteps(task, stop, progress, outcome); }));
  return outcome;
}

absl::Status TorchTrainer::TrainSteps(const TrainTask& task,
                                      std::stop_token stop, ProgressFn progress,
                                      TrainOutcome& outcome) {
  const std::unique_ptr<LocalModel> model =
      MakeTrainingModel(task.model, task.training, device_);
  const auto files = WeightFiles(task.global_model, task.frozen);
  MEANFIELD_RETURN_IF_ERROR(CheckTensors(model->Specs(), files));
  model->Load(files);
  SeedTorch(task.seed);
  BatchOrder order(task.data.size(), task.training.batch_size, task.order_seed);
  BatchReader reader(task.model, task.data);
  absl::Duration input_wait;
  for (uint64_t step = 0; step < task.num_steps; ++step) {
    if (stop.stop_requested()) {
      return absl::CancelledError(
          StrCat("stopped after step ", step, " of ", task.num_steps));
    }
    const absl::Time asked = clock_.Now();
    const Batch& batch = reader.Gather(order.Batch(task.first_step + step));
    input_wait += clock_.Now() - asked;

    const float learning_rate = LearningRate(task, step);
    const LossSum loss = model->Step(batch, learning_rate);
    if (!std::isfinite(loss.sum)) {
      return Diverged(task, step, learning_rate, loss.sum);
    }
    outcome.steps = step + 1;
    outcome.examples += static_cast<uint64_t>(batch.size());
    outcome.tokens += static_cast<uint64_t>(batch.num_tokens);
    outcome.loss_sum += loss.sum;
    outcome.loss_count += static_cast<uint64_t>(loss.count);
    progress({.steps_done = outcome.steps,
              .tokens_done = outcome.tokens,
              .loss_sum = outcome.loss_sum,
              .loss_count = outcome.loss_count});
  }
  outcome.input_wait_s = absl::ToDoubleSeconds(input_wait);
  return model->Save(task.output_path);
}

absl::Status TorchTrainer::Evaluate(const EvaluateTask& task,
                                    std::stop_token stop, ProgressFn progress) {
  MEANFIELD_RETURN_IF_ERROR(
      CheckTask(task.model, task.training, task.data,
                task.with_loss ? Targets::kNeeded : Targets::kUnused));
  return CatchTorchErrors(
      device_,
      StrCat("lower training.eval_batch_size (now ",
             task.training.eval_batch_size, ")"),
      [&] { return EvaluateBatches(task, stop, progress); });
}

absl::Status TorchTrainer::EvaluateBatches(const EvaluateTask& task,
                                           std::stop_token stop,
                                           ProgressFn progress) {
  const std::unique_ptr<LocalModel> model =
      MakeEvaluationModel(task.model, task.training, device_);
  const auto files = WeightFiles(task.model_weights, task.frozen);
  MEANFIELD_RETURN_IF_ERROR(CheckTensors(model->Specs(), files));
  model->Load(files);
  EncodedShard data = task.data;
  if (!task.with_loss) {
    data.labels = data.tags = {};
    data.label_offsets = {};
  }
  BatchReader reader(task.model, data);
  PredictionFile output(task.with_loss ? PredictionFile::Kind::kEvaluate
                                       : PredictionFile::Kind::kPredict,
                        IsMultiLabel(task.model));
  Predictions predictions;
  StepProgress done;
  const int64_t batch_size = task.training.eval_batch_size;
  for (int64_t first = 0; first < data.size(); first += batch_size) {
    if (stop.stop_requested()) {
      return absl::CancelledError(
          StrCat("stopped after ", first, " of ", data.size(), " samples"));
    }
    const Batch& batch = reader.GatherRange(first, batch_size);
    model->Predict(batch, predictions);
    const LossSum loss = output.Add(predictions, batch.num_items);
    ++done.steps_done;
    done.tokens_done += static_cast<uint64_t>(batch.num_tokens);
    done.loss_sum += loss.sum;
    done.loss_count += static_cast<uint64_t>(loss.count);
    progress(done);
  }
  return output.Write(task.output_path);
}

}  // namespace

absl::StatusOr<std::unique_ptr<LocalTrainer>> MakeTorchTrainer(
    const DeviceChoice& choice, Clock& clock) {
  MEANFIELD_ASSIGN_OR_RETURN(Device device, OpenDevice(choice));
  return std::make_unique<TorchTrainer>(std::move(device), clock);
}

}  // namespace meanfield

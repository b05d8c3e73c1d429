#include "worker/runtime/unit_runner.h"

#include <bit>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/blob/hash.h"
#include "common/convert/convert.h"
#include "common/model/encoded_shard.h"
#include "common/tensor/safetensors.h"

namespace meanfield {

struct UnitRunner::Inputs {
  ModelConfig model;
  TrainingConfig training;
  std::optional<SafetensorsFile> weights;  // absent for INIT
  std::optional<SafetensorsFile> data;     // absent for INIT
  std::vector<SafetensorsFile> apart;      // frozen, or given to INIT
  EncodedShard shard;                      // views into `data`

  std::vector<const SafetensorsFile*> Apart() const {
    std::vector<const SafetensorsFile*> files;
    for (const SafetensorsFile& file : apart) files.push_back(&file);
    return files;
  }
};

absl::StatusOr<proto::UnitResult> UnitRunner::Run(
    const proto::Unit& unit, const std::string& output_path,
    std::stop_token stop, ProgressFn progress) {
  const absl::Time started = clock_.Now();
  const std::string name = UnitName(unit.key());
  proto::UnitResult result;
  {
    absl::StatusOr<Inputs> inputs = Fetch(unit, stop);
    if (!inputs.ok()) return Annotate(inputs.status(), name);
    const absl::Status done =
        Execute(unit, *inputs, output_path, stop, progress, result);
    if (!done.ok()) return Annotate(done, name);
  }
  proto::TrainStatistics& statistics = *result.mutable_statistics();
  statistics.set_busy_s(absl::ToDoubleSeconds(clock_.Now() - started));
  statistics.set_peak_memory_bytes(trainer_.peak_memory_bytes());

  absl::StatusOr<std::string> id = BlobIdOfFile(output_path);
  if (!id.ok()) return Annotate(id.status(), name);
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(output_path, error);
  if (error) return ErrnoStatus(error.value(), "look at", output_path);
  *result.mutable_output() = ToProto(Blob{.id = *std::move(id), .size = size});
  return result;
}

absl::StatusOr<std::vector<SafetensorsFile>> UnitRunner::FetchTensors(
    const google::protobuf::RepeatedPtrField<proto::BlobRef>& blobs,
    std::stop_token stop) {
  std::vector<SafetensorsFile> files;
  for (const proto::BlobRef& blob : blobs) {
    MEANFIELD_ASSIGN_OR_RETURN(const std::string path,
                               cache_.Fetch(blob, stop));
    MEANFIELD_ASSIGN_OR_RETURN(SafetensorsFile file,
                               SafetensorsFile::Open(path));
    files.push_back(std::move(file));
  }
  return files;
}

absl::StatusOr<UnitRunner::Inputs> UnitRunner::Fetch(const proto::Unit& unit,
                                                     std::stop_token stop) {
  Inputs inputs;
  MEANFIELD_ASSIGN_OR_RETURN(const std::string model_json,
                             cache_.FetchText(unit.model_config(), stop));
  MEANFIELD_ASSIGN_OR_RETURN(inputs.model, ParseModelConfig(model_json));
  const bool init = unit.key().kind() == proto::INIT;
  MEANFIELD_ASSIGN_OR_RETURN(
      inputs.apart, FetchTensors(init ? unit.given() : unit.frozen(), stop));
  if (init) return inputs;

  MEANFIELD_ASSIGN_OR_RETURN(const std::string training_json,
                             cache_.FetchText(unit.training_config(), stop));
  MEANFIELD_ASSIGN_OR_RETURN(inputs.training,
                             ParseTrainingConfig(training_json));
  MEANFIELD_ASSIGN_OR_RETURN(const std::string data,
                             cache_.Fetch(unit.data(), stop));
  MEANFIELD_ASSIGN_OR_RETURN(inputs.data, SafetensorsFile::Open(data));
  MEANFIELD_ASSIGN_OR_RETURN(inputs.shard, ViewEncodedShard(*inputs.data));
  MEANFIELD_ASSIGN_OR_RETURN(const std::string model,
                             cache_.FetchModel(unit.model(), stop));
  MEANFIELD_ASSIGN_OR_RETURN(inputs.weights, SafetensorsFile::Open(model));
  return inputs;
}

absl::Status UnitRunner::Execute(const proto::Unit& unit, const Inputs& inputs,
                                 const std::string& output_path,
                                 std::stop_token stop, ProgressFn progress,
                                 proto::UnitResult& result) {
  proto::TrainStatistics& statistics = *result.mutable_statistics();
  switch (unit.key().kind()) {
    case proto::INIT: {
      MEANFIELD_ASSIGN_OR_RETURN(
          const std::vector<TensorSpec> specs,
          trainer_.Initialize(inputs.model, unit.init_seed(), inputs.Apart(),
                              output_path));
      for (const TensorSpec& spec : specs)
        *result.add_tensors() = ToProto(spec);
      return absl::OkStatus();
    }
    case proto::TRAIN:
      return Train(unit, inputs, output_path, std::move(stop), progress,
                   statistics);
    case proto::EVALUATE:
    case proto::PREDICT:
      return Evaluate(unit, inputs, output_path, std::move(stop), progress,
                      statistics);
    default:
      return absl::UnimplementedError(
          StrCat("units of kind ", static_cast<int>(unit.key().kind()),
                 " are not known to this worker"));
  }
}

absl::Status UnitRunner::Train(const proto::Unit& unit, const Inputs& inputs,
                               const std::string& output_path,
                               std::stop_token stop, ProgressFn progress,
                               proto::TrainStatistics& statistics) {
  const proto::TrainWork& work = unit.train();
  const TrainTask task{.model = inputs.model,
                       .training = inputs.training,
                       .global_model = &*inputs.weights,
                       .frozen = inputs.Apart(),
                       .data = inputs.shard,
                       .first_step = work.first_step(),
                       .num_steps = work.num_steps(),
                       .lr_first = std::bit_cast<float>(work.lr_first_bits()),
                       .lr_last = std::bit_cast<float>(work.lr_last_bits()),
                       .seed = work.seed(),
                       .order_seed = work.order_seed(),
                       .output_path = output_path};
  MEANFIELD_ASSIGN_OR_RETURN(const TrainOutcome outcome,
                             trainer_.Train(task, std::move(stop), progress));
  statistics.set_steps(outcome.steps);
  statistics.set_examples(outcome.examples);
  statistics.set_tokens(outcome.tokens);
  statistics.set_loss_sum(outcome.loss_sum);
  statistics.set_loss_count(outcome.loss_count);
  statistics.set_input_wait_s(outcome.input_wait_s);
  return absl::OkStatus();
}

absl::Status UnitRunner::Evaluate(const proto::Unit& unit, const Inputs& inputs,
                                  const std::string& output_path,
                                  std::stop_token stop, ProgressFn progress,
                                  proto::TrainStatistics& statistics) {
  const EvaluateTask task{.model = inputs.model,
                          .training = inputs.training,
                          .model_weights = &*inputs.weights,
                          .frozen = inputs.Apart(),
                          .data = inputs.shard,
                          .with_loss = unit.key().kind() == proto::EVALUATE,
                          .output_path = output_path};
  StepProgress last;
  MEANFIELD_RETURN_IF_ERROR(
      trainer_.Evaluate(task, std::move(stop), [&](const StepProgress& p) {
        last = p;
        progress(p);
      }));
  statistics.set_steps(last.steps_done);
  statistics.set_examples(static_cast<uint64_t>(inputs.shard.size()));
  statistics.set_tokens(last.tokens_done);
  return absl::OkStatus();
}

}  // namespace meanfield

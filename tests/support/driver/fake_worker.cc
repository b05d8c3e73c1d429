#include "tests/support/driver/fake_worker.h"

#include <algorithm>
#include <filesystem>
#include <stop_token>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/blob/hash.h"
#include "common/convert/convert.h"
#include "common/model/encoded_shard.h"
#include "common/model/model_config.h"
#include "common/model/training_config.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::testing {

FakeWorker::FakeWorker(driver::Coordinator& coordinator, LocalTrainer& trainer,
                       driver::Executor& executor, Options options)
    : coordinator_(coordinator),
      trainer_(trainer),
      executor_(executor),
      options_(std::move(options)) {}

absl::Status FakeWorker::Connect() {
  MutexLock lock(session_mutex_);
  MEANFIELD_ASSIGN_OR_RETURN(
      session_, coordinator_.Join({.name = options_.name,
                                   .incarnation = options_.incarnation,
                                   .device = trainer_.device(),
                                   .numerics_class = trainer_.numerics_class()},
                                  shared_from_this()));
  return absl::OkStatus();
}

std::string FakeWorker::session() const {
  MutexLock lock(session_mutex_);
  return session_;
}

void FakeWorker::Leave(const absl::Status& why) {
  held_.clear();
  coordinator_.Leave(session(), why);
}

void FakeWorker::Assign(uint64_t lease, const proto::Unit& unit) {
  executor_.Post([self = shared_from_this(), lease, unit] {
    if (self->hold) {
      self->held_.emplace_back(lease, unit);
    } else {
      self->Run(lease, unit);
    }
  });
}

void FakeWorker::Cancel(uint64_t lease, std::string_view /*reason*/) {
  executor_.Post([self = shared_from_this(), lease] {
    std::erase_if(self->held_,
                  [lease](const auto& held) { return held.first == lease; });
    self->coordinator_.OnFailure(self->session(), lease,
                                 absl::CancelledError("as told"));
  });
}

void FakeWorker::Dismiss(std::string_view /*reason*/) { dismissed = true; }

void FakeWorker::RunHeld() {
  for (const auto& [lease, unit] : std::exchange(held_, {})) Run(lease, unit);
}

void FakeWorker::RepeatResult() {
  coordinator_.OnResult(session(), last_lease_, last_result_);
}

void FakeWorker::Run(uint64_t lease, const proto::Unit& unit) {
  const absl::Status before =
      before_unit ? before_unit(unit) : absl::OkStatus();
  if (!before.ok()) return coordinator_.OnFailure(session(), lease, before);
  const std::string path = absl::StrCat(options_.scratch, "/", options_.name,
                                        "-", lease, ".safetensors");
  auto result = Compute(lease, unit, path);
  if (result.ok() && tamper) tamper(unit, path, *result);
  const absl::Status status =
      result.ok() ? Upload(lease, path, *result) : result.status();
  std::filesystem::remove(path);
  if (!status.ok()) return coordinator_.OnFailure(session(), lease, status);
  ++units_done;
  last_lease_ = lease;
  last_result_ = *result;
  coordinator_.OnResult(session(), lease, *result);
}

absl::StatusOr<std::string> FakeWorker::ReadBlob(const proto::BlobRef& blob) {
  MEANFIELD_ASSIGN_OR_RETURN(const std::string path,
                             coordinator_.ReadableBlob(session(), blob.id()));
  return ReadFile(path);
}

absl::StatusOr<SafetensorsFile> FakeWorker::OpenBlob(
    const proto::BlobRef& blob) {
  MEANFIELD_ASSIGN_OR_RETURN(const std::string path,
                             coordinator_.ReadableBlob(session(), blob.id()));
  return SafetensorsFile::Open(path);
}

absl::StatusOr<proto::UnitResult> FakeWorker::Compute(uint64_t lease,
                                                      const proto::Unit& unit,
                                                      const std::string& path) {
  MEANFIELD_ASSIGN_OR_RETURN(const std::string model_json,
                             ReadBlob(unit.model_config()));
  MEANFIELD_ASSIGN_OR_RETURN(const ModelConfig config,
                             ParseModelConfig(model_json));
  proto::UnitResult result;
  const bool init = unit.key().kind() == proto::INIT;
  std::vector<SafetensorsFile> files;
  for (const proto::BlobRef& blob : init ? unit.given() : unit.frozen()) {
    MEANFIELD_ASSIGN_OR_RETURN(SafetensorsFile file, OpenBlob(blob));
    files.push_back(std::move(file));
  }
  std::vector<const SafetensorsFile*> apart;
  for (const SafetensorsFile& file : files) apart.push_back(&file);
  if (init) {
    MEANFIELD_ASSIGN_OR_RETURN(
        const auto specs,
        trainer_.Initialize(config, unit.init_seed(), apart, path));
    for (const TensorSpec& spec : specs) *result.add_tensors() = ToProto(spec);
    return result;
  }
  MEANFIELD_ASSIGN_OR_RETURN(const std::string training_json,
                             ReadBlob(unit.training_config()));
  MEANFIELD_ASSIGN_OR_RETURN(const TrainingConfig training,
                             ParseTrainingConfig(training_json));
  MEANFIELD_ASSIGN_OR_RETURN(const SafetensorsFile model,
                             OpenBlob(unit.model()));
  MEANFIELD_ASSIGN_OR_RETURN(const SafetensorsFile data, OpenBlob(unit.data()));
  MEANFIELD_ASSIGN_OR_RETURN(const EncodedShard shard, ViewEncodedShard(data));
  const auto report = [&](const StepProgress& progress) {
    coordinator_.OnProgress(session(), {.lease = lease,
                                        .steps_done = progress.steps_done,
                                        .tokens_done = progress.tokens_done,
                                        .loss_sum = progress.loss_sum,
                                        .loss_count = progress.loss_count});
  };
  if (unit.key().kind() != proto::TRAIN) {
    MEANFIELD_RETURN_IF_ERROR(
        trainer_.Evaluate({.model = config,
                           .training = training,
                           .model_weights = &model,
                           .frozen = apart,
                           .data = shard,
                           .with_loss = unit.key().kind() == proto::EVALUATE,
                           .output_path = path},
                          std::stop_token(), report));
    return result;
  }
  const proto::TrainWork& work = unit.train();
  MEANFIELD_ASSIGN_OR_RETURN(
      const TrainOutcome outcome,
      trainer_.Train({.model = config,
                      .training = training,
                      .global_model = &model,
                      .frozen = apart,
                      .data = shard,
                      .first_step = work.first_step(),
                      .num_steps = work.num_steps(),
                      .lr_first = std::bit_cast<float>(work.lr_first_bits()),
                      .lr_last = std::bit_cast<float>(work.lr_last_bits()),
                      .seed = work.seed(),
                      .order_seed = work.order_seed(),
                      .output_path = path},
                     std::stop_token(), report));
  proto::TrainStatistics& statistics = *result.mutable_statistics();
  statistics.set_steps(outcome.steps);
  statistics.set_examples(outcome.examples);
  statistics.set_tokens(outcome.tokens);
  statistics.set_loss_sum(outcome.loss_sum);
  statistics.set_loss_count(outcome.loss_count);
  statistics.set_peak_memory_bytes(trainer_.peak_memory_bytes());
  return result;
}

absl::Status FakeWorker::Upload(uint64_t lease, const std::string& path,
                                proto::UnitResult& result) {
  MEANFIELD_ASSIGN_OR_RETURN(const std::string id, BlobIdOfFile(path));
  result.mutable_output()->set_id(id);
  result.mutable_output()->set_size(std::filesystem::file_size(path));
  MEANFIELD_ASSIGN_OR_RETURN(
      const std::string upload,
      coordinator_.UploadPath(session(), lease, result.output()));
  std::filesystem::copy_file(path, upload,
                             std::filesystem::copy_options::overwrite_existing);
  return coordinator_.SealUpload(session(), lease, result.output());
}

}  // namespace meanfield::testing

#include "coordinator/driver/prepared_run.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/convert/convert.h"
#include "common/model/model_config.h"
#include "common/model/training_config.h"
#include "coordinator/driver/upload_file.h"
#include "coordinator/job/job.h"

namespace meanfield::driver {
namespace {

// Parts of dev and test. Their number changes no score; a few more than workers
// let an early one help a late one.
uint32_t EvaluationShards(const proto::JobSpec& job) {
  return std::clamp<uint32_t>(job.shards(), 4, 64);
}

std::vector<schedule::ShardSize> SizesOf(const std::string& task,
                                         const corpus::PreparedTask& prepared) {
  std::vector<schedule::ShardSize> sizes;
  for (const corpus::EncodedShardInfo& shard : prepared.train) {
    sizes.push_back({.task = task,
                     .shard = static_cast<uint32_t>(sizes.size()),
                     .examples = shard.examples,
                     .tokens = shard.tokens});
  }
  return sizes;
}

absl::Status StoreTexts(const TrainingConfig& training, BlobStore& blobs,
                        PreparedRun& prepared) {
  const corpus::PreparedTask& task = prepared.task;
  MEANFIELD_ASSIGN_OR_RETURN(
      prepared.model_config,
      blobs.Put(ToJson(task.model), Durability::kDurable));
  MEANFIELD_ASSIGN_OR_RETURN(prepared.training_config,
                             blobs.Put(ToJson(training), Durability::kDurable));
  MEANFIELD_ASSIGN_OR_RETURN(
      prepared.dictionaries,
      blobs.Put(task.dictionaries.ToJson(), Durability::kDurable));
  MEANFIELD_ASSIGN_OR_RETURN(
      prepared.manifest, blobs.Put(task.manifest_json, Durability::kDurable));
  return absl::OkStatus();
}

void DescribeSplit(std::string_view split,
                   const std::vector<corpus::EncodedShardInfo>& shards,
                   const std::string& task, proto::RunRecord& record) {
  for (size_t i = 0; i < shards.size(); ++i) {
    proto::ShardRecord& shard = *record.add_shards();
    shard.set_task(task);
    shard.set_split(std::string(split));
    shard.set_shard(static_cast<uint32_t>(i));
    *shard.mutable_data() = ToProto(shards[i].data);
    shard.set_examples(shards[i].examples);
    shard.set_tokens(shards[i].tokens);
  }
}

void RemoveSubfolder(store::RunStore& store, const std::string& run,
                     const std::string& name) {
  const auto folder = store.RunFolder(run);
  std::error_code error;
  if (folder.ok()) {
    std::filesystem::remove_all(absl::StrCat(*folder, "/", name), error);
  }
  if (folder.ok() && !error) return;
  Log(LogLevel::kWarning, "folder_not_removed",
      {{"run", run},
       {"folder", name},
       {"reason", folder.ok() ? error.message() : folder.status().ToString()}});
}

}  // namespace

absl::StatusOr<std::shared_ptr<const PreparedRun>> PrepareRun(
    const proto::RunRecord& record, store::RunStore& store) {
  const proto::JobSpec& job = record.job();
  if (job.task_size() != 1) {
    return absl::UnimplementedError(absl::StrCat(
        "the job has ", job.task_size(), " tasks; this version trains one"));
  }
  const proto::Task& task = job.task(0);
  const TrainingConfig training = job::ToTrainingConfig(task.training());
  auto prepared = std::make_shared<PreparedRun>();
  prepared->run = record.id();
  prepared->job = job;
  MEANFIELD_ASSIGN_OR_RETURN(prepared->incoming,
                             MakeIncoming(store, record.id()));
  MEANFIELD_ASSIGN_OR_RETURN(
      prepared->task,
      corpus::PrepareTask(task,
                          {.seed = job.seed(),
                           .shards = job.shards(),
                           .evaluation_shards = EvaluationShards(job),
                           .eval_batch_size = training.eval_batch_size},
                          store.blobs()));
  prepared->shard_sizes = SizesOf(task.name(), prepared->task);
  MEANFIELD_RETURN_IF_ERROR(StoreTexts(training, store.blobs(), *prepared));
  return prepared;
}

absl::Status CheckSameCorpus(const proto::RunRecord& record,
                             const PreparedRun& prepared) {
  if (!record.has_manifest() ||
      record.manifest().id() == prepared.manifest.id) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat("the corpus of run ", record.id(),
                   " is not what it was when the run began (manifest ",
                   prepared.manifest.id, ", then ", record.manifest().id(),
                   "): put the old files back, or begin a new run"));
}

void Describe(const PreparedRun& prepared, proto::RunRecord& record) {
  const std::string& task = prepared.task_name();
  record.clear_shards();
  DescribeSplit("train", prepared.task.train, task, record);
  DescribeSplit("dev", prepared.task.dev, task, record);
  DescribeSplit("test", prepared.task.test, task, record);
  *record.mutable_model_config() = ToProto(prepared.model_config);
  *record.mutable_training_config() = ToProto(prepared.training_config);
  *record.mutable_dictionaries() = ToProto(prepared.dictionaries);
  *record.mutable_manifest() = ToProto(prepared.manifest);
  record.clear_frozen();
  for (const corpus::TensorFile& tensor : prepared.task.frozen) {
    proto::FrozenTensor& frozen = *record.add_frozen();
    frozen.set_name(tensor.spec.name);
    *frozen.mutable_file() = ToProto(tensor.file);
  }
}

absl::StatusOr<std::string> MakeIncoming(store::RunStore& store,
                                         const std::string& run) {
  MEANFIELD_ASSIGN_OR_RETURN(const std::string folder, store.RunFolder(run));
  const std::string incoming = absl::StrCat(folder, "/incoming");
  MEANFIELD_RETURN_IF_ERROR(MakePrivateFolder(incoming));
  return incoming;
}

void RemoveIncoming(store::RunStore& store, const std::string& run) {
  RemoveSubfolder(store, run, "incoming");
}

void RemoveUpdates(store::RunStore& store, const std::string& run) {
  RemoveSubfolder(store, run, "updates");
}

}  // namespace meanfield::driver

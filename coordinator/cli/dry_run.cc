#include "coordinator/cli/dry_run.h"

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_format.h"
#include "common/blob/blob_store.h"
#include "coordinator/cli/exit_code.h"
#include "coordinator/cli/scratch_folder.h"
#include "coordinator/corpus/corpus.h"
#include "coordinator/job/job.h"
#include "coordinator/schedule/schedule.h"

namespace meanfield::cli {

namespace {

int Fail(const absl::Status& status, ExitCode code) {
  std::fprintf(stderr, "meanfield train: %s\n",
               std::string(status.message()).c_str());
  return code;
}

std::string Sizes(const std::string& split,
                  const std::vector<corpus::EncodedShardInfo>& shards) {
  if (shards.empty()) return absl::StrFormat("# %-5s  none\n", split);
  uint64_t examples = 0;
  uint64_t tokens = 0;
  uint64_t smallest = shards[0].examples;
  uint64_t largest = shards[0].examples;
  for (const corpus::EncodedShardInfo& shard : shards) {
    examples += shard.examples;
    tokens += shard.tokens;
    smallest = std::min(smallest, shard.examples);
    largest = std::max(largest, shard.examples);
  }
  return absl::StrFormat(
      "# %-5s  %d texts, %d tokens, in %d shards of %d to %d texts\n", split,
      examples, tokens, shards.size(), smallest, largest);
}

// "# words  812, characters 75, labels 9".
std::string Describe(const corpus::Dictionaries& dictionaries) {
  std::string text = "# words ";
  for (const corpus::EmbeddingDictionary& entry : dictionaries.embeddings) {
    absl::StrAppendFormat(&text, " %s%d,",
                          entry.HasTable() ? "" : "characters ",
                          entry.items.size());
  }
  return absl::StrFormat("%s labels %d\n", text, dictionaries.labels.size());
}

std::string Describe(const proto::JobSpec& job,
                     const corpus::PreparedTask& task) {
  std::vector<schedule::ShardSize> sizes;
  for (const corpus::EncodedShardInfo& shard : task.train) {
    sizes.push_back({.task = job.task(0).name(),
                     .shard = static_cast<uint32_t>(sizes.size()),
                     .examples = shard.examples,
                     .tokens = shard.tokens});
  }
  return absl::StrFormat("%s%s%s%s# rounds %d at most\n",
                         Sizes("train", task.train), Sizes("dev", task.dev),
                         Sizes("test", task.test), Describe(task.dictionaries),
                         schedule::PlannedRounds(job, sizes, schedule::Past()));
}

}  // namespace

int DryRun(const proto::JobSpec& job, std::vector<std::string> warnings,
           const std::vector<WorkerCommand>& workers) {
  absl::StatusOr<ScratchFolder> scratch = ScratchFolder::Create();
  if (!scratch.ok()) return Fail(scratch.status(), kFailed);
  absl::StatusOr<BlobStore> blobs = BlobStore::Open(scratch->path());
  if (!blobs.ok()) return Fail(blobs.status(), kFailed);
  const absl::StatusOr<corpus::PreparedTask> task = corpus::PrepareTask(
      job.task(0),
      {.seed = job.seed(),
       .shards = job.shards(),
       .evaluation_shards = job.shards(),
       .eval_batch_size =
           job::ToTrainingConfig(job.task(0).training()).eval_batch_size},
      *blobs);
  if (!task.ok()) return Fail(task.status(), kUsage);
  std::string text = job::ExplainJob(job) + "\n" + Describe(job, *task);
  text += "# workers ";
  for (const WorkerCommand& worker : workers) text += " " + worker.name;
  std::fprintf(stdout, "%s\n", text.c_str());
  warnings.insert(warnings.end(), task->warnings.begin(), task->warnings.end());
  for (const std::string& warning : warnings) {
    std::fprintf(stderr, "warning: %s\n", warning.c_str());
  }
  return kDone;
}

}  // namespace meanfield::cli

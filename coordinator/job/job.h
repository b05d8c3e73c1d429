#ifndef MEANFIELD_COORDINATOR_JOB_JOB_H_
#define MEANFIELD_COORDINATOR_JOB_JOB_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/model/training_config.h"
#include "coordinator/job/fault.h"
#include "proto/job.pb.h"

namespace meanfield::job {

struct JobSource {
  std::string text;
  std::string path;                    // for messages and the default name
  std::vector<std::string> overrides;  // "task.training.batch_size=64"
  std::optional<uint32_t> default_shards;
  // Relative corpus paths start here; empty: the folder of `path`.
  std::string corpus_root;
};

// The job with every default filled in (name, shards, server optimizer, each
// task's training, metric, …) and corpus paths made absolute, or all faults at
// once: syntax, unknown names (with the nearest known one and the allowed
// list), values out of range, combinations that make no sense, features that
// this version does not have, files that do not exist.
struct JobResult {
  proto::JobSpec job;  // valid where faults is empty
  std::vector<Fault> faults;
  std::vector<std::string> warnings;
};
JobResult LoadJob(const JobSource& source);
// Reads the file first; NOT_FOUND names it.
absl::StatusOr<JobSource> ReadJobSource(const std::string& path);

// One line a fault: "file:line:column: message".
std::string FormatFaults(const std::vector<Fault>& faults);
// INVALID_ARGUMENT with how many faults and FormatFaults, or the job.
absl::StatusOr<proto::JobSpec> ToStatusOr(JobResult result);

// Text proto of a resolved job with every default spelt out (--dry-run).
std::string ExplainJob(const proto::JobSpec& job);

// The optimizer part of a resolved task. The learning rate stays behind.
TrainingConfig ToTrainingConfig(const proto::Training& training);
// The learning rate that the job names.
double BaseLearningRate(const proto::Training& training);

}  // namespace meanfield::job

#endif  // MEANFIELD_COORDINATOR_JOB_JOB_H_

#include "coordinator/driver/open_runs.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "coordinator/driver/prediction.h"
#include "coordinator/driver/prepared_run.h"
#include "coordinator/driver/run_state.h"
#include "google/protobuf/util/message_differencer.h"

namespace meanfield::driver {
namespace {

proto::JobSpec WithoutWhatMayChange(proto::JobSpec job) {
  job.clear_stop();
  job.clear_gpus();
  for (proto::Task& task : *job.mutable_task()) task.clear_gpus();
  return job;
}

absl::Status CheckSameTraining(const proto::JobSpec& then,
                               const proto::JobSpec& now) {
  std::string differences;
  google::protobuf::util::MessageDifferencer differencer;
  differencer.ReportDifferencesToString(&differences);
  if (differencer.Compare(WithoutWhatMayChange(then),
                          WithoutWhatMayChange(now))) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "a run goes on with the job that it began with; only \"stop\" and "
      "\"gpus\" may change. Different are:\n",
      differences));
}

}  // namespace

absl::StatusOr<std::vector<proto::RunDetails>> OpenRuns(
    store::RunStore& store) {
  MEANFIELD_ASSIGN_OR_RETURN(std::vector<proto::RunRecord> runs,
                             store.ListRuns());
  std::reverse(runs.begin(), runs.end());
  std::vector<proto::RunDetails> open;
  for (const proto::RunRecord& run : runs) {
    if (IsEnd(run.state())) continue;
    RemoveIncoming(store, run.id());
    MEANFIELD_ASSIGN_OR_RETURN(open.emplace_back(), store.Load(run.id()));
  }
  RemoveIncoming(store, kPredictionFolder);
  return open;
}

absl::StatusOr<proto::RunDetails> ReopenRun(store::RunStore& store,
                                            const std::string& run,
                                            const proto::JobSpec* job) {
  MEANFIELD_ASSIGN_OR_RETURN(proto::RunDetails details, store.Load(run));
  proto::RunRecord& record = *details.mutable_run();
  if (record.state() == proto::CANCELLED) {
    return absl::FailedPreconditionError(
        absl::StrCat("run ", run, " was cancelled (", record.reason(),
                     "): begin a new one"));
  }
  if (job != nullptr) {
    MEANFIELD_RETURN_IF_ERROR(CheckSameTraining(record.job(), *job));
    *record.mutable_job() = *job;
  }
  record.set_state(proto::QUEUED);
  record.clear_reason();
  MEANFIELD_RETURN_IF_ERROR(store.PutRun(record));
  return details;
}

}  // namespace meanfield::driver

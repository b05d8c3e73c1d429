#include "coordinator/driver/interrupted_runs.h"

#include <vector>

#include "common/base/status.h"
#include "coordinator/driver/prediction.h"
#include "coordinator/driver/prepared_run.h"
#include "proto/record.pb.h"

namespace meanfield::driver {

absl::Status MarkInterruptedRuns(store::RunStore& store, absl::Time wall_now) {
  MEANFIELD_ASSIGN_OR_RETURN(const std::vector<proto::RunRecord> runs,
                             store.ListRuns());
  for (proto::RunRecord run : runs) {
    if (run.state() != proto::QUEUED && run.state() != proto::PREPARING &&
        run.state() != proto::RUNNING) {
      continue;
    }
    run.set_reason(
        run.state() == proto::QUEUED
            ? "interrupted: the coordinator ended before this began; submit it "
              "again"
            : "interrupted: the coordinator ended without a word (killed, or "
              "its machine went down); submit the job again");
    run.set_state(proto::STARVED);
    run.set_ended_unix_ms(absl::ToUnixMillis(wall_now));
    MEANFIELD_RETURN_IF_ERROR(store.PutRun(run));
    RemoveIncoming(store, run.id());
  }
  RemoveIncoming(store, kPredictionFolder);
  return absl::OkStatus();
}

}  // namespace meanfield::driver

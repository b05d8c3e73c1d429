#ifndef MEANFIELD_COORDINATOR_SERVICE_RUN_SUMMARIES_H_
#define MEANFIELD_COORDINATOR_SERVICE_RUN_SUMMARIES_H_

#include "absl/status/status.h"
#include "coordinator/store/run_store.h"
#include "proto/coordinator.pb.h"
#include "proto/event.pb.h"

namespace meanfield::service {

// Leaves class tables out of a run too long for one message, but for the best
// and the last round; RESOURCE_EXHAUSTED where even that is too long.
absl::Status FitIntoMessage(proto::RunDetails& details);

// Newest first, as many as one message holds.
absl::Status SummariseRuns(const store::RunStore& store,
                           proto::ListRunsResponse& response);

}  // namespace meanfield::service

#endif  // MEANFIELD_COORDINATOR_SERVICE_RUN_SUMMARIES_H_

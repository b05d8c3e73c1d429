#ifndef MEANFIELD_COORDINATOR_DRIVER_OPEN_RUNS_H_
#define MEANFIELD_COORDINATOR_DRIVER_OPEN_RUNS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coordinator/store/run_store.h"
#include "proto/event.pb.h"
#include "proto/job.pb.h"

namespace meanfield::driver {

// Runs that an earlier coordinator left open, because it was stopped or killed,
// the oldest first. The outputs that were under way are removed. Before
// anything else is started.
absl::StatusOr<std::vector<proto::RunDetails>> OpenRuns(store::RunStore& store);

// A run that nobody works on, made ready to go on: QUEUED, and with `job` where
// it is given. FAILED_PRECONDITION where it was cancelled; INVALID_ARGUMENT
// where `job` differs in more than what may change: the stop rule and the
// devices.
absl::StatusOr<proto::RunDetails> ReopenRun(store::RunStore& store,
                                            const std::string& run,
                                            const proto::JobSpec* job);

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_OPEN_RUNS_H_

#ifndef MEANFIELD_COORDINATOR_DRIVER_INTERRUPTED_RUNS_H_
#define MEANFIELD_COORDINATOR_DRIVER_INTERRUPTED_RUNS_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "coordinator/store/run_store.h"

namespace meanfield::driver {

// Runs that an earlier coordinator left open, as it was killed, become STARVED,
// and the outputs under way are removed. Before anything else is started.
absl::Status MarkInterruptedRuns(store::RunStore& store, absl::Time wall_now);

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_INTERRUPTED_RUNS_H_

#ifndef MEANFIELD_COORDINATOR_DRIVER_RUN_FLOOR_H_
#define MEANFIELD_COORDINATOR_DRIVER_RUN_FLOOR_H_

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "coordinator/driver/context.h"
#include "coordinator/driver/phase.h"
#include "coordinator/driver/prepared_run.h"
#include "coordinator/driver/run_journal.h"
#include "coordinator/driver/units.h"

namespace meanfield::driver {

// What the phases of a run work with. Owned by the run's driver, which outlives
// the phases it started; actor thread.
struct RunFloor {
  Context& context;
  RunJournal& journal;
  std::function<bool(const Worker&)> eligible;
  std::shared_ptr<const PreparedRun> prepared;
  ShardHolders holders;

  // A phase whose accepted units count for their workers, and whose rejections
  // and failures are recorded. Not started.
  struct PhaseOptions {
    std::vector<Phase::Unit> units;
    std::function<absl::Status(const Phase::Arrival&)> take_in;
    std::function<void(const Phase::Arrival&)> accepted;  // may be null
    std::function<void()> progressed;                     // may be null
    std::function<void(Phase&, const absl::Status&)> ended;
  };
  std::shared_ptr<Phase> MakePhase(PhaseOptions options);
};

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_RUN_FLOOR_H_

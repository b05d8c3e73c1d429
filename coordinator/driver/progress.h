#ifndef MEANFIELD_COORDINATOR_DRIVER_PROGRESS_H_
#define MEANFIELD_COORDINATOR_DRIVER_PROGRESS_H_

#include <vector>

#include "absl/time/time.h"
#include "coordinator/driver/phase.h"
#include "proto/event.pb.h"
#include "proto/plan.pb.h"

namespace meanfield::driver {

// Where a round stands: steps and loss over its units, and each worker's
// tokens per second over the units it did or does.
proto::RunEvent::RoundProgress Describe(
    const proto::RoundPlan& plan, const std::vector<UnitProgress>& progress,
    absl::Time now);

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_PROGRESS_H_

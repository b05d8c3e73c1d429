#ifndef MEANFIELD_COORDINATOR_DRIVER_WORKER_VIEW_H_
#define MEANFIELD_COORDINATOR_DRIVER_WORKER_VIEW_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "coordinator/driver/worker_link.h"

namespace meanfield::driver {

// A connected worker and what it does, for people.
struct WorkerView {
  WorkerIdentity identity;
  absl::Duration connected;
  uint64_t units_done = 0;  // accepted since it connected
  std::string unit;         // its name; empty: idle
  absl::Duration unit_time;
  uint64_t steps_done = 0;  // of the unit
};

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_WORKER_VIEW_H_

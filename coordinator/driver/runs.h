#ifndef MEANFIELD_COORDINATOR_DRIVER_RUNS_H_
#define MEANFIELD_COORDINATOR_DRIVER_RUNS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/driver/worker_view.h"
#include "coordinator/job/job.h"
#include "coordinator/store/run_store.h"
#include "proto/event.pb.h"

namespace meanfield::driver {

// Ends when destroyed, on any thread but the sink's. An event may still reach
// the sink while the destructor runs, so the sink owns what it writes to.
class Subscription {
 public:
  virtual ~Subscription() = default;
};

// The coordinator as the people who submit runs see it. Implemented by
// Coordinator, and by fakes in tests. Thread-safe. A run that does not exist is
// NOT_FOUND.
class Runs {
 public:
  virtual ~Runs() = default;

  // Validates (INVALID_ARGUMENT holds every fault), records, queues; the run's
  // id.
  virtual absl::StatusOr<std::string> Submit(const job::JobSource& source) = 0;
  virtual absl::Status Cancel(const std::string& run,
                              const std::string& reason) = 0;

  // Calls `sink` with the run's events after `after_sequence`, then live ones,
  // on the actor's thread (must not block); ends with RunEvent::Ended.
  virtual absl::StatusOr<std::shared_ptr<Subscription>> Watch(
      const std::string& run, uint64_t after_sequence,
      std::function<void(const proto::RunEvent&)> sink) = 0;

  virtual store::RunStore& store() = 0;

  // The connected workers, by name. Waits for the actor's thread: not from it.
  virtual std::vector<WorkerView> Workers() = 0;
};

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_RUNS_H_

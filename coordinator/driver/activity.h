#ifndef MEANFIELD_COORDINATOR_DRIVER_ACTIVITY_H_
#define MEANFIELD_COORDINATOR_DRIVER_ACTIVITY_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "coordinator/driver/worker_registry.h"

namespace meanfield::driver {

// What has the workers to itself for a while: a run, or a prediction. Actor
// thread only.
class Activity {
 public:
  virtual ~Activity() = default;
  // `done` is called once, when nothing of it is left.
  virtual void Start(std::function<void()> done) = 0;
  // Ends it early with this reason, started or not; `done` follows if started.
  virtual void Stop(const absl::Status& reason) = 0;
  // As Stop, where this process ends: what can go on in another, will.
  virtual void Suspend(const absl::Status& reason) { Stop(reason); }
  virtual void OnWorkerJoined(const Worker& worker) = 0;
  virtual void OnWorkerLost(const std::string& worker,
                            const std::string& why) = 0;
};

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_ACTIVITY_H_

#ifndef MEANFIELD_COORDINATOR_DRIVER_WORKER_LINK_H_
#define MEANFIELD_COORDINATOR_DRIVER_WORKER_LINK_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "proto/plan.pb.h"

namespace meanfield::driver {

struct WorkerIdentity {
  std::string name;  // stable; a newer incarnation replaces an older
  uint64_t incarnation = 0;
  std::string device;
  std::string numerics_class;
  std::string host;
  int64_t pid = 0;
  uint64_t device_memory_bytes = 0;
};

// The way down to a connected worker. Implemented by the service and by
// simulated workers. Called on the driver's thread; must not block; calls after
// the worker is gone do nothing.
class WorkerLink {
 public:
  virtual ~WorkerLink() = default;
  virtual void Assign(uint64_t lease, const proto::Unit& unit) = 0;
  virtual void Cancel(uint64_t lease, std::string_view reason) = 0;
  virtual void Dismiss(std::string_view reason) = 0;
};

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_WORKER_LINK_H_

#ifndef MEANFIELD_COORDINATOR_DRIVER_WORKER_REGISTRY_H_
#define MEANFIELD_COORDINATOR_DRIVER_WORKER_REGISTRY_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "absl/time/time.h"
#include "coordinator/driver/lease_table.h"
#include "coordinator/driver/worker_link.h"

namespace meanfield::driver {

struct Worker {
  WorkerIdentity identity;
  std::string session;
  std::shared_ptr<WorkerLink> link;
  absl::Time joined;
  uint64_t units_done = 0;  // accepted in this session
  // Blobs that leases of this session named: sent once, cached there.
  std::set<std::string> held_blobs;

  WorkerProcess process() const {
    return {identity.name, identity.incarnation};
  }
};

// The connected workers by name. Actor thread only.
class WorkerRegistry {
 public:
  // The worker of the same name that it replaces, if any.
  std::optional<Worker> Add(Worker worker);
  // Absent where the session is not, or no longer, there.
  std::optional<Worker> Remove(const std::string& session);

  // Null when absent; valid until Add or Remove.
  Worker* Find(const std::string& name);
  Worker* FindSession(const std::string& session);
  const std::map<std::string, Worker>& workers() const { return workers_; }

  // No worker will be asked for this blob again.
  void ForgetBlob(const std::string& id);
  void ForgetAllBlobs();

 private:
  std::map<std::string, Worker> workers_;
};

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_WORKER_REGISTRY_H_

#ifndef MEANFIELD_COORDINATOR_CLI_LOCAL_CLUSTER_H_
#define MEANFIELD_COORDINATOR_CLI_LOCAL_CLUSTER_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/time/clock.h"
#include "coordinator/cli/scratch_folder.h"
#include "coordinator/cli/worker_processes.h"
#include "coordinator/driver/coordinator.h"
#include "coordinator/service/server.h"

namespace meanfield::cli {

// A coordinator in this process, on a free loopback port, and its workers as
// child processes. The destructor sends the workers home, ends an open run as
// resumable, and leaves no process behind. Main thread only.
class LocalCluster {
 public:
  struct Options {
    std::string state_folder;
    std::string worker_log_folder;
    std::vector<WorkerCommand> workers;
    aggregate::FoldDevice fold_device = aggregate::FoldDevice::kCpu;
    WorkerProcesses::EndedFn worker_ended;
  };
  static absl::StatusOr<std::unique_ptr<LocalCluster>> Start(Options options);
  ~LocalCluster();

  driver::Coordinator& coordinator() { return *coordinator_; }
  size_t workers_alive() const { return workers_->alive(); }

 private:
  LocalCluster() = default;

  // In order of construction; destroyed from the back.
  std::unique_ptr<Clock> clock_;
  std::unique_ptr<driver::Coordinator> coordinator_;
  std::unique_ptr<service::Server> server_;
  // What killed workers leave behind goes with it.
  std::optional<ScratchFolder> work_folder_;
  std::unique_ptr<WorkerProcesses> workers_;
};

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_LOCAL_CLUSTER_H_

#ifndef MEANFIELD_COORDINATOR_CLI_RUN_WATCH_H_
#define MEANFIELD_COORDINATOR_CLI_RUN_WATCH_H_

#include <functional>
#include <string>
#include <variant>

#include "absl/status/statusor.h"
#include "coordinator/cli/event_queue.h"
#include "coordinator/cli/local_cluster.h"
#include "proto/event.pb.h"

namespace meanfield::cli {

struct RunEnd {
  proto::RunState state = proto::RUN_STATE_UNSPECIFIED;
  std::string reason;
  absl::StatusCode code = absl::StatusCode::kOk;
};

// Follows a run of a local cluster on the calling thread: shows its events, and
// ends it, resumable, when the user interrupts or no worker is left. Outlives
// the cluster.
class RunWatch {
 public:
  // From other threads.
  void OnWorkerEnded(const std::string& why);
  void OnInterrupt();

  // Until the run has ended. `show` is called with each event.
  absl::StatusOr<RunEnd> Follow(
      LocalCluster& cluster, const std::string& run,
      const std::function<void(const proto::RunEvent&)>& show);

 private:
  struct WorkerEnded {
    std::string why;
  };
  struct Interrupt {};
  using Event = std::variant<proto::RunEvent, WorkerEnded, Interrupt>;

  EventQueue<Event> events_;
};

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_RUN_WATCH_H_

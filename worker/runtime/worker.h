#ifndef MEANFIELD_WORKER_RUNTIME_WORKER_H_
#define MEANFIELD_WORKER_RUNTIME_WORKER_H_

#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "worker/trainer/local_trainer.h"

namespace meanfield {

struct WorkerOptions {
  std::string coordinator;  // host:port
  std::string name;         // empty: host, device and process id
  std::string work_folder;  // blob cache and outputs; removed at the end
  // Gives up when the coordinator could not be reached for so long.
  absl::Duration give_up_after = absl::Minutes(2);
};

// Connects, takes leases, runs units one at a time on the calling thread, and
// sends progress from a thread of its own, until dismissed (OK), stopped
// (CANCELLED) or out of reach (UNAVAILABLE: exit code 3). Reconnects with
// backoff; offers a finished result again.
absl::Status RunWorker(const WorkerOptions& options, LocalTrainer& trainer,
                       std::stop_token stop);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_RUNTIME_WORKER_H_

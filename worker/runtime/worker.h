#ifndef MEANFIELD_WORKER_RUNTIME_WORKER_H_
#define MEANFIELD_WORKER_RUNTIME_WORKER_H_

#include <cstdint>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/rpc/channel.h"
#include "common/time/clock.h"
#include "worker/trainer/local_trainer.h"

namespace meanfield {

struct WorkerOptions {
  std::string coordinator;  // host:port
  std::string name;         // empty: host, device and process id
  // A fresh folder is made below it for blobs and outputs, and removed at the
  // end. Empty: the system's folder for temporary files.
  std::string work_folder;
  // Gives up when the coordinator could not be reached for so long.
  absl::Duration give_up_after = absl::Minutes(2);
  // Blobs that units no longer need are kept up to this size: shards come
  // again every round.
  uint64_t cache_bytes = uint64_t{4} << 30;
  rpc::Keepalive keepalive;
  Clock* clock = nullptr;  // null: one of its own; else outlives the call
};

// Connects, takes leases, runs units one at a time on the calling thread, and
// sends progress from a thread of its own, until
//   OK           dismissed
//   CANCELLED    stopped
//   UNAVAILABLE  the coordinator was out of reach for too long
//   any other    the coordinator refused this worker (its words), or the work
//                folder cannot be used
// Reconnects with backoff while a unit runs on; a result that was not heard of
// is offered again. A failing unit does not end the worker.
absl::Status RunWorker(const WorkerOptions& options, LocalTrainer& trainer,
                       std::stop_token stop);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_RUNTIME_WORKER_H_

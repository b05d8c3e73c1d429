#ifndef MEANFIELD_COORDINATOR_SERVICE_CALL_ENVIRONMENT_H_
#define MEANFIELD_COORDINATOR_SERVICE_CALL_ENVIRONMENT_H_

#include "absl/time/time.h"
#include "common/time/clock.h"
#include "coordinator/driver/runs.h"
#include "coordinator/driver/worker_sessions.h"
#include "coordinator/service/io_threads.h"
#include "coordinator/service/live_calls.h"
#include "coordinator/service/open_uploads.h"

namespace meanfield::service {

// What the calls of one server share. Outlives them.
struct CallEnvironment {
  driver::Runs& runs;
  driver::WorkerSessions& sessions;
  Clock& clock;
  absl::Duration heartbeat;
  absl::Duration silence_limit;
  LiveCalls workers;
  LiveCalls transfers;  // and watchers
  OpenUploads uploads;
  IoThreads io{8};  // last: its closures use the others
};

}  // namespace meanfield::service

#endif  // MEANFIELD_COORDINATOR_SERVICE_CALL_ENVIRONMENT_H_

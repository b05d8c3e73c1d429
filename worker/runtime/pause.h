#ifndef MEANFIELD_WORKER_RUNTIME_PAUSE_H_
#define MEANFIELD_WORKER_RUNTIME_PAUSE_H_

#include <stop_token>

#include "absl/time/time.h"
#include "common/time/clock.h"

namespace meanfield {

// Waits so long, or until stopped.
void PauseFor(Clock& clock, absl::Duration duration, std::stop_token stop);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_RUNTIME_PAUSE_H_

#include "worker/runtime/pause.h"

#include "common/base/mutex.h"
#include "common/time/timed_wait.h"

namespace meanfield {

void PauseFor(Clock& clock, absl::Duration duration, std::stop_token stop) {
  Mutex mutex;
  CondVar stopped;
  // Before the lock: its destructor waits for the closure, which takes it.
  const std::stop_callback wake(stop, [&] {
    const MutexLock lock(mutex);
    stopped.NotifyAll();
  });
  const MutexLock lock(mutex);
  WaitUntil(clock, clock.Now() + duration, mutex, stopped,
            [&] { return stop.stop_requested(); });
}

}  // namespace meanfield

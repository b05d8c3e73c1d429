#ifndef MEANFIELD_COMMON_TIME_TIMED_WAIT_H_
#define MEANFIELD_COMMON_TIME_TIMED_WAIT_H_

#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "common/time/clock.h"

namespace meanfield {

// With `mutex` held: waits until done() holds (it is asked under the mutex,
// whenever `changed` is notified) or the clock reaches `deadline`. What done()
// said last. The mutex is released for a moment before the return.
template <typename Done>
bool WaitUntil(Clock& clock, absl::Time deadline, Mutex& mutex,
               CondVar& changed, Done done) ABSL_NO_THREAD_SAFETY_ANALYSIS {
  if (done()) return true;
  std::unique_ptr<Alarm> alarm = clock.ScheduleAt(deadline, [&] {
    const MutexLock lock(mutex);
    changed.NotifyAll();
  });
  while (!done() && clock.Now() < deadline) changed.Wait(mutex);
  // The alarm's closure takes the mutex, and its destructor waits for it.
  mutex.Unlock();
  alarm.reset();
  mutex.Lock();
  return done();
}

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_TIME_TIMED_WAIT_H_

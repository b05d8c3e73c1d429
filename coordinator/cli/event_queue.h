#ifndef MEANFIELD_COORDINATOR_CLI_EVENT_QUEUE_H_
#define MEANFIELD_COORDINATOR_CLI_EVENT_QUEUE_H_

#include <deque>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "common/base/mutex.h"

namespace meanfield::cli {

// Hands values from any thread to one that waits for them, in order.
template <typename T>
class EventQueue {
 public:
  void Push(T value) {
    const MutexLock lock(mutex_);
    values_.push_back(std::move(value));
    arrived_.NotifyOne();
  }
  T Pop() {
    const MutexLock lock(mutex_);
    while (values_.empty()) arrived_.Wait(mutex_);
    T value = std::move(values_.front());
    values_.pop_front();
    return value;
  }

 private:
  Mutex mutex_;
  CondVar arrived_;
  std::deque<T> values_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_EVENT_QUEUE_H_

#ifndef MEANFIELD_COORDINATOR_DRIVER_EVENT_SINK_H_
#define MEANFIELD_COORDINATOR_DRIVER_EVENT_SINK_H_

#include <atomic>
#include <functional>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "common/base/mutex.h"
#include "proto/event.pb.h"

namespace meanfield::driver {

// The far end of a subscription. Deliver is called on the actor's thread, Close
// on any: when Close returns, the function is not running and will not run
// again (but Close may be called from the function itself).
class EventSink {
 public:
  using Function = std::function<void(const proto::RunEvent&)>;
  explicit EventSink(Function function) : function_(std::move(function)) {}

  void Deliver(const proto::RunEvent& event) {
    MutexLock lock(mutex_);
    if (closed_) return;
    delivering_ = std::this_thread::get_id();
    function_(event);
    delivering_ = std::thread::id();
  }
  void Close() {
    closed_ = true;
    if (delivering_ == std::this_thread::get_id()) return;
    MutexLock lock(mutex_);
    function_ = nullptr;
  }
  bool closed() const { return closed_; }

 private:
  std::atomic<bool> closed_ = false;
  std::atomic<std::thread::id> delivering_;
  Mutex mutex_;
  Function function_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_EVENT_SINK_H_

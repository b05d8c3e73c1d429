#ifndef MEANFIELD_COORDINATOR_DRIVER_SERIAL_EXECUTOR_H_
#define MEANFIELD_COORDINATOR_DRIVER_SERIAL_EXECUTOR_H_

#include <deque>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "common/base/mutex.h"
#include "coordinator/driver/executor.h"

namespace meanfield::driver {

// One thread of its own. The destructor runs what is queued, then joins.
class SerialExecutor : public Executor {
 public:
  SerialExecutor();
  ~SerialExecutor() override;

  void Post(absl::AnyInvocable<void()> closure) override;
  void Drain() override;

 private:
  void Loop();

  Mutex mutex_;
  CondVar changed_;
  std::deque<absl::AnyInvocable<void()>> queue_ ABSL_GUARDED_BY(mutex_);
  bool running_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_SERIAL_EXECUTOR_H_

#ifndef MEANFIELD_COORDINATOR_SERVICE_IO_THREADS_H_
#define MEANFIELD_COORDINATOR_SERVICE_IO_THREADS_H_

#include <deque>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "common/base/mutex.h"

namespace meanfield::service {

// Threads for what may block (files, the driver), so that gRPC's never do. A
// call has at most one closure here at a time, so the queue is bounded by the
// number of calls. The destructor runs what is queued.
class IoThreads {
 public:
  explicit IoThreads(int count);
  ~IoThreads();
  IoThreads(const IoThreads&) = delete;
  IoThreads& operator=(const IoThreads&) = delete;

  void Post(absl::AnyInvocable<void()> closure);

 private:
  void Run();

  Mutex mutex_;
  CondVar changed_;
  std::deque<absl::AnyInvocable<void()>> queue_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_;
};

}  // namespace meanfield::service

#endif  // MEANFIELD_COORDINATOR_SERVICE_IO_THREADS_H_

#include "coordinator/service/io_threads.h"

#include <utility>

namespace meanfield::service {

IoThreads::IoThreads(int count) {
  for (int i = 0; i < count; ++i) threads_.emplace_back([this] { Run(); });
}

IoThreads::~IoThreads() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  threads_.clear();
}

void IoThreads::Post(absl::AnyInvocable<void()> closure) {
  const MutexLock lock(mutex_);
  queue_.push_back(std::move(closure));
  changed_.NotifyOne();
}

void IoThreads::Run() {
  while (true) {
    absl::AnyInvocable<void()> closure;
    {
      const MutexLock lock(mutex_);
      while (queue_.empty() && !stopping_) changed_.Wait(mutex_);
      if (queue_.empty()) return;
      closure = std::move(queue_.front());
      queue_.pop_front();
    }
    closure();
  }
}

}  // namespace meanfield::service

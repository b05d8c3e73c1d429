#include "coordinator/driver/serial_executor.h"

#include <utility>

namespace meanfield::driver {

SerialExecutor::SerialExecutor() : thread_([this] { Loop(); }) {}

SerialExecutor::~SerialExecutor() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.NotifyAll();
  thread_.join();
}

void SerialExecutor::Post(absl::AnyInvocable<void()> closure) {
  {
    MutexLock lock(mutex_);
    queue_.push_back(std::move(closure));
  }
  changed_.NotifyAll();
}

void SerialExecutor::Drain() {
  MutexLock lock(mutex_);
  while (running_ || !queue_.empty()) changed_.Wait(mutex_);
}

void SerialExecutor::Loop() {
  mutex_.Lock();
  while (true) {
    while (queue_.empty() && !stopping_) changed_.Wait(mutex_);
    if (queue_.empty()) break;
    absl::AnyInvocable<void()> closure = std::move(queue_.front());
    queue_.pop_front();
    running_ = true;
    mutex_.Unlock();
    closure();
    closure = nullptr;  // what it holds ends here, without the lock
    mutex_.Lock();
    running_ = false;
    changed_.NotifyAll();
  }
  mutex_.Unlock();
}

}  // namespace meanfield::driver

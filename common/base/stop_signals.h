#ifndef MEANFIELD_COMMON_BASE_STOP_SIGNALS_H_
#define MEANFIELD_COMMON_BASE_STOP_SIGNALS_H_

#include <atomic>
#include <functional>
#include <thread>

namespace meanfield {

// Turns SIGINT, SIGTERM and SIGHUP into calls on a thread of its own, where
// locks and allocations are allowed. Make it in main before any other thread,
// which then inherits the blocked signals (so do child processes: a launcher
// must unblock them there).
class StopSignals {
 public:
  // `on_signal` gets how many came so far, from 1.
  explicit StopSignals(std::function<void(int count)> on_signal);
  // The signals stay blocked: one that comes later changes nothing.
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  void Run();

  const std::function<void(int)> on_signal_;
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_BASE_STOP_SIGNALS_H_

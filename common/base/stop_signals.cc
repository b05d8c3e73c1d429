#include "common/base/stop_signals.h"

#include <pthread.h>

#include <csignal>
#include <utility>

namespace meanfield {
namespace {

sigset_t TheSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    sigaddset(&signals, signal);
  }
  return signals;
}

}  // namespace

StopSignals::StopSignals(std::function<void(int count)> on_signal)
    : on_signal_(std::move(on_signal)) {
  const sigset_t signals = TheSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  thread_ = std::thread([this] { Run(); });
}

StopSignals::~StopSignals() {
  done_ = true;
  pthread_kill(thread_.native_handle(), SIGTERM);
  thread_.join();
}

void StopSignals::Run() {
  const sigset_t signals = TheSignals();
  for (int count = 1;; ++count) {
    int signal = 0;
    sigwait(&signals, &signal);
    if (done_) return;
    on_signal_(count);
  }
}

}  // namespace meanfield

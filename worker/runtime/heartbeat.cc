#include "worker/runtime/heartbeat.h"

#include <utility>

#include "worker/runtime/pause.h"

namespace meanfield {

Heartbeat::Heartbeat(Connection& connection, const LeaseDesk& desk)
    : connection_(connection),
      desk_(desk),
      thread_([this](std::stop_token stop) { Run(std::move(stop)); }) {}

void Heartbeat::Run(std::stop_token stop) {
  while (!stop.stop_requested()) {
    proto::WorkerMessage message;
    if (const auto progress = desk_.progress()) {
      *message.mutable_progress() = *progress;
    } else {
      message.mutable_heartbeat();
    }
    connection_.Send(message);
    PauseFor(connection_.clock(), connection_.heartbeat(), stop);
  }
}

}  // namespace meanfield

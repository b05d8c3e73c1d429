#include "coordinator/cli/run_watch.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/log.h"
#include "common/base/status.h"

namespace meanfield::cli {

namespace {

proto::RunEvent Warning(const std::string& text) {
  proto::RunEvent event;
  event.mutable_note()->set_level("warning");
  event.mutable_note()->set_text(text);
  return event;
}

// A run that has just ended by itself needs no interruption.
void Interrupt(driver::Coordinator& coordinator, const std::string& run,
               const std::string& reason) {
  const absl::Status status = coordinator.Interrupt(run, reason);
  if (!status.ok()) {
    Log(LogLevel::kInfo, "not interrupted", {{"reason", status.ToString()}});
  }
}

}  // namespace

void RunWatch::OnWorkerEnded(const std::string& why) {
  events_.Push(WorkerEnded{why});
}

void RunWatch::OnInterrupt() { events_.Push(RunWatch::Interrupt{}); }

absl::StatusOr<RunEnd> RunWatch::Follow(
    LocalCluster& cluster, const std::string& run,
    const std::function<void(const proto::RunEvent&)>& show) {
  driver::Coordinator& coordinator = cluster.coordinator();
  MEANFIELD_ASSIGN_OR_RETURN(
      const std::shared_ptr<driver::Subscription> subscription,
      coordinator.Watch(
          run, /*after_sequence=*/0,
          [this](const proto::RunEvent& event) { events_.Push(event); }));
  std::string ends;
  while (true) {
    const Event event = events_.Pop();
    if (const auto* ended = std::get_if<WorkerEnded>(&event)) {
      absl::StrAppend(&ends, ends.empty() ? "" : "\n  ", ended->why);
      show(Warning(ended->why));
      if (cluster.workers_alive() == 0) {
        cli::Interrupt(coordinator, run,
                       absl::StrCat("no worker is left:\n  ", ends));
      }
    } else if (std::holds_alternative<RunWatch::Interrupt>(event)) {
      show(Warning("interrupted: ending cleanly (once more: at once)"));
      cli::Interrupt(coordinator, run, "interrupted by the user");
    } else {
      const auto& run_event = std::get<proto::RunEvent>(event);
      show(run_event);
      if (run_event.has_ended()) {
        return RunEnd{
            .state = run_event.ended().state(),
            .reason = run_event.ended().reason(),
            .code = static_cast<absl::StatusCode>(run_event.ended().code())};
      }
    }
  }
}

}  // namespace meanfield::cli

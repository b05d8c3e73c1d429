#ifndef MEANFIELD_COORDINATOR_CLI_PROGRESS_VIEW_H_
#define MEANFIELD_COORDINATOR_CLI_PROGRESS_VIEW_H_

#include <string>

#include "proto/event.pb.h"

namespace meanfield::cli {

// Turns a run's events into what a person sees. On a terminal the open round is
// one line that is written over; elsewhere (a log) each round is one plain
// line.
class ProgressView {
 public:
  enum class Sink { kTerminal, kLog };
  // `metric`: the dev score to show; empty: the first one. `columns`: width of
  // the terminal.
  ProgressView(Sink sink, std::string metric, int columns)
      : sink_(sink), metric_(std::move(metric)), columns_(columns) {}

  // The characters to print for an event; may be empty.
  std::string Render(const proto::RunEvent& event);

 private:
  std::string Line(const std::string& text);
  std::string RoundLine(const proto::RunEvent::RoundDone& round) const;
  std::string OpenRoundLine(const proto::RunEvent::RoundProgress& progress);

  const Sink sink_;
  const std::string metric_;
  const int columns_;
  bool line_open_ = false;
  unsigned rounds_planned_ = 0;
};

// "812", "58.2k", "1.3M"
std::string Rate(double per_second);
// "4.1 s", "2 min 05 s", "3 h 20 min"
std::string Span(double seconds);

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_PROGRESS_VIEW_H_

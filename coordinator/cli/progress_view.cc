#include "coordinator/cli/progress_view.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace meanfield::cli {

namespace {

constexpr char kEraseLine[] = "\r\033[K";

template <typename Workers>
std::string Rates(const Workers& workers) {
  std::string text;
  for (const auto& worker : workers) {
    absl::StrAppend(&text, text.empty() ? "" : " + ",
                    Rate(worker.tokens_per_s()));
  }
  return text.empty() ? text : absl::StrCat("  ", text, " tokens/s");
}

std::string DevText(const proto::EvaluationRecord& dev,
                    const std::string& metric) {
  if (dev.scores().empty()) return "";
  const proto::Score* shown = &dev.scores(0);
  for (const proto::Score& score : dev.scores()) {
    if (score.name() == metric) shown = &score;
  }
  return absl::StrFormat("  dev %s %.4f", shown->name(), shown->value());
}

}  // namespace

std::string Rate(double per_second) {
  if (!(per_second >= 0)) return "-";
  if (per_second >= 1e6) return absl::StrFormat("%.1fM", per_second / 1e6);
  if (per_second >= 1e3) return absl::StrFormat("%.1fk", per_second / 1e3);
  return absl::StrFormat("%.0f", per_second);
}

std::string Span(double seconds) {
  if (!(seconds >= 0) || std::isinf(seconds)) return "-";
  if (seconds < 59.95) return absl::StrFormat("%.1f s", seconds);
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  if (whole < 3600) {
    return absl::StrFormat("%d min %02d s", whole / 60, whole % 60);
  }
  return absl::StrFormat("%d h %02d min", whole / 3600, whole % 3600 / 60);
}

std::string ProgressView::Line(const std::string& text) {
  const bool erase = line_open_;
  line_open_ = false;
  return absl::StrCat(erase ? kEraseLine : "", text, "\n");
}

std::string ProgressView::RoundLine(
    const proto::RunEvent::RoundDone& round) const {
  const proto::RoundRecord& record = round.record();
  std::string line =
      absl::StrFormat("round %d/%d  loss %.4f", record.plan().round(),
                      round.rounds_planned(), record.train_loss());
  if (round.has_verdict()) {
    absl::StrAppend(&line, DevText(round.verdict().dev(), metric_),
                    round.verdict().is_best() ? " *" : "");
  }
  absl::StrAppend(&line, Rates(round.workers()));
  const bool last = record.plan().round() >= round.rounds_planned();
  if (!last) absl::StrAppend(&line, "  ETA ", Span(round.eta_s()));
  return line;
}

std::string ProgressView::OpenRoundLine(
    const proto::RunEvent::RoundProgress& progress) {
  const double share = progress.steps_planned() == 0
                           ? 0
                           : 100.0 *
                                 static_cast<double>(progress.steps_done()) /
                                 static_cast<double>(progress.steps_planned());
  std::string line = absl::StrFormat("round %d", progress.round());
  if (rounds_planned_ > 0) absl::StrAppend(&line, "/", rounds_planned_);
  absl::StrAppendFormat(&line, "  %3.0f %%", share);
  if (progress.steps_done() > 0) {
    absl::StrAppendFormat(&line, "  loss %.4f", progress.loss());
  }
  absl::StrAppend(&line, Rates(progress.workers()));
  line_open_ = true;
  // A line that wraps cannot be written over.
  const size_t room = static_cast<size_t>(std::max(20, columns_ - 1));
  return absl::StrCat(kEraseLine, line.substr(0, room));
}

std::string ProgressView::Render(const proto::RunEvent& event) {
  switch (event.kind_case()) {
    case proto::RunEvent::kNote:
      return Line(
          event.note().level() == "info"
              ? event.note().text()
              : absl::StrCat(event.note().level(), ": ", event.note().text()));
    case proto::RunEvent::kProgress:
      return sink_ == Sink::kTerminal ? OpenRoundLine(event.progress()) : "";
    case proto::RunEvent::kRound:
      rounds_planned_ = event.round().rounds_planned();
      return Line(RoundLine(event.round()));
    default:
      return "";
  }
}

}  // namespace meanfield::cli

#include "coordinator/cli/run_list.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "coordinator/report/table.h"
#include "nlohmann/json.hpp"

namespace meanfield::cli {

namespace {

using Summary = proto::ListRunsResponse::Summary;

std::string StateName(const Summary& run) {
  return proto::RunState_Name(run.state());
}

std::string Created(const Summary& run) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ",
                          absl::FromUnixMillis(run.created_unix_ms()),
                          absl::UTCTimeZone());
}

std::string Rounds(const Summary& run) {
  if (run.rounds_planned() == 0) return absl::StrCat(run.rounds_done());
  return absl::StrCat(run.rounds_done(), "/", run.rounds_planned());
}

std::string BestScore(const Summary& run) {
  return std::isfinite(run.best_score())
             ? absl::StrFormat("%.4f", run.best_score())
             : "-";
}

}  // namespace

std::string RunListText(const proto::ListRunsResponse& runs) {
  if (runs.runs().empty()) return "no runs\n";
  using Align = report::Table::Align;
  report::Table table({{"run", Align::kLeft, 32},
                       {"state", Align::kLeft},
                       {"rounds"},
                       {"best"},
                       {"created", Align::kLeft}});
  std::string reasons;
  for (const Summary& run : runs.runs()) {
    table.AddRow(
        {run.id(), StateName(run), Rounds(run), BestScore(run), Created(run)});
    if (run.state() != proto::DONE && !run.reason().empty()) {
      absl::StrAppend(&reasons, run.id(), ": ", run.reason(), "\n");
    }
  }
  return absl::StrCat(table.ToString(), reasons.empty() ? "" : "\n", reasons);
}

std::string RunListJson(const proto::ListRunsResponse& runs) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Summary& run : runs.runs()) {
    nlohmann::ordered_json one = {{"id", run.id()},
                                  {"name", run.name()},
                                  {"state", StateName(run)},
                                  {"rounds_done", run.rounds_done()},
                                  {"rounds_planned", run.rounds_planned()},
                                  {"best_score", nullptr},
                                  {"reason", run.reason()},
                                  {"created", Created(run)}};
    if (std::isfinite(run.best_score())) one["best_score"] = run.best_score();
    all.push_back(std::move(one));
  }
  return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

}  // namespace meanfield::cli

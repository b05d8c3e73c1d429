#include "coordinator/cli/worker_list.h"

#include "absl/strings/str_cat.h"
#include "coordinator/report/table.h"
#include "nlohmann/json.hpp"

namespace meanfield::cli {

namespace {

using Worker = proto::ListWorkersResponse::Worker;

}  // namespace

std::string WorkerListText(const proto::ListWorkersResponse& workers) {
  if (workers.workers().empty()) {
    return "no workers (meanfield-worker --coordinator HOST:PORT starts one)\n";
  }
  using Align = report::Table::Align;
  // As wide as a terminal; the rest is in the JSON.
  report::Table table({{"worker", Align::kLeft, 20},
                       {"device", Align::kLeft, 14},
                       {"units"},
                       {"step"},
                       {"doing", Align::kLeft, 30}});
  for (const Worker& worker : workers.workers()) {
    const bool idle = worker.unit().empty();
    table.AddRow({worker.name(), worker.device(),
                  absl::StrCat(worker.units_done()),
                  idle ? "" : absl::StrCat(worker.steps_done()),
                  idle ? "idle" : worker.unit()});
  }
  return table.ToString();
}

std::string WorkerListJson(const proto::ListWorkersResponse& workers) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Worker& worker : workers.workers()) {
    nlohmann::ordered_json one = {{"name", worker.name()},
                                  {"device", worker.device()},
                                  {"numerics_class", worker.numerics_class()},
                                  {"host", worker.host()},
                                  {"pid", worker.pid()},
                                  {"connected_s", worker.connected_s()},
                                  {"units_done", worker.units_done()},
                                  {"unit", nullptr}};
    if (!worker.unit().empty()) {
      one["unit"] = worker.unit();
      one["unit_s"] = worker.unit_s();
      one["steps_done"] = worker.steps_done();
    }
    all.push_back(std::move(one));
  }
  return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

}  // namespace meanfield::cli

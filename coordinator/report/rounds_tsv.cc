#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "coordinator/report/report.h"
#include "coordinator/report/run_view.h"

namespace meanfield::report {
namespace {

// Enough digits to read the same double back; "nan" as most readers know it.
std::string Exact(double value) { return absl::StrFormat("%.17g", value); }
std::string Short(double value) { return absl::StrFormat("%.9g", value); }

struct Totals {
  uint64_t tokens = 0;
  uint64_t examples = 0;
  uint64_t bytes = 0;
};

std::vector<std::string> DevCells(const proto::Verdict* verdict,
                                  const std::vector<std::string>& names) {
  // Empty cells: the round was not evaluated.
  std::vector<std::string> cells(names.size() + 1);
  if (verdict == nullptr || !verdict->has_dev()) return cells;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto score = ScoreOf(verdict->dev(), names[i]);
    if (score.has_value()) cells[i] = Exact(*score);
  }
  cells.back() = Exact(verdict->dev().loss());
  return cells;
}

}  // namespace

std::string RoundsTsv(const proto::RunDetails& run) {
  const std::vector<std::string> names = DevScoreNames(run);
  std::vector<std::string> header = {"round",
                                     "wall_s",
                                     "cumulative_tokens",
                                     "cumulative_examples",
                                     "cumulative_bytes",
                                     "epochs_per_worker",
                                     "train_loss",
                                     "lr"};
  for (const std::string& name : names) {
    header.push_back(absl::StrCat("dev_", name));
  }
  header.push_back("dev_loss");
  std::string text = absl::StrJoin(header, "\t") + "\n";
  const double epoch = static_cast<double>(TrainExamples(run)) *
                       static_cast<double>(TrainingWorkers(run));
  Totals totals;
  for (const proto::RoundRecord& round : run.rounds()) {
    totals.tokens += round.tokens();
    totals.examples += round.examples();
    totals.bytes += round.bytes();
    const double epochs =
        epoch == 0 ? 0 : static_cast<double>(totals.examples) / epoch;
    std::vector<std::string> cells = {
        absl::StrCat(round.plan().round()), Short(WallSeconds(run, round)),
        absl::StrCat(totals.tokens),        absl::StrCat(totals.examples),
        absl::StrCat(totals.bytes),         Short(epochs),
        Exact(round.train_loss()),          Short(LearningRateOf(round))};
    const auto dev = DevCells(VerdictOf(run, round.plan().round()), names);
    cells.insert(cells.end(), dev.begin(), dev.end());
    text += absl::StrJoin(cells, "\t") + "\n";
  }
  return text;
}

}  // namespace meanfield::report

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "coordinator/report/advice.h"
#include "coordinator/report/display_width.h"
#include "coordinator/report/quantity.h"
#include "coordinator/report/report.h"
#include "coordinator/report/run_view.h"
#include "coordinator/report/table.h"
#include "coordinator/report/wrap.h"

namespace meanfield::report {
namespace {

constexpr int kClassRows = 25;
constexpr int kRoundRows = 25;
constexpr size_t kLabelWidth = 20;

using Align = Table::Align;

// "macro_f1" -> "macro-F1".
std::string Title(const std::string& score) {
  std::string title = score;
  for (char& c : title) c = c == '_' ? '-' : c;
  if (title == "f1" || title.ends_with("-f1")) title[title.size() - 2] = 'F';
  return title;
}

// The score that chose the best model first, then the first other one.
std::vector<proto::Score> MainScores(const proto::RunDetails& run,
                                     const proto::EvaluationRecord& record) {
  std::vector<proto::Score> scores;
  const std::string metric = MetricOf(run);
  for (const proto::Score& score : record.scores()) {
    if (score.name() == metric) scores.insert(scores.begin(), score);
    if (score.name() != metric && scores.size() < 2) scores.push_back(score);
  }
  if (scores.size() > 2) scores.resize(2);
  return scores;
}

// The first score of a split of single decisions is its accuracy: only there
// has always saying the same a meaning.
bool HasMajority(const proto::EvaluationRecord& record) {
  return record.scores_size() > 0 && record.scores(0).name() == "accuracy";
}

std::string Headline(const proto::RunDetails& run) {
  const proto::EvaluationRecord* test = TestOf(run);
  if (test == nullptr) return "";
  std::vector<std::string> parts;
  for (const proto::Score& score : MainScores(run, *test)) {
    parts.push_back(
        absl::StrCat(Title(score.name()), " ", report::Score(score.value())));
  }
  std::string line = absl::StrCat("test ", absl::StrJoin(parts, ", "));
  if (HasMajority(*test)) {
    absl::StrAppend(&line, " (always saying \"",
                    Cut(test->majority_label(), kLabelWidth),
                    "\": ", report::Score(test->majority_accuracy()), ")");
  }
  return line;
}

std::string StateLine(const proto::RunDetails& run) {
  const proto::RunRecord& record = run.run();
  const double seconds =
      static_cast<double>(record.ended_unix_ms() - record.started_unix_ms()) /
      1000;
  std::string line = absl::StrCat(record.id(), ": ");
  if (record.ended_unix_ms() == 0) {
    absl::StrAppend(&line, RunState_Name(record.state()));
  } else {
    absl::StrAppend(&line, RunState_Name(record.state()), " after ",
                    Seconds(record.started_unix_ms() == 0 ? 0 : seconds));
  }
  absl::StrAppend(&line, ", ", run.rounds_size(), " rounds");
  if (!record.reason().empty()) absl::StrAppend(&line, ": ", record.reason());
  return line;
}

std::string BestLine(const proto::RunDetails& run) {
  const uint32_t best = run.run().best_round();
  if (best == 0) return "There is no trained model.";
  std::string line = absl::StrCat(
      TestOf(run) == nullptr ? "It was not tested (no test split, or the run "
                               "ended before). The best model is"
                             : "Tested was the best model,",
      " that of round ", best, " of ", run.rounds_size());
  const proto::Verdict* verdict = BestVerdict(run);
  if (verdict == nullptr) {
    return absl::StrCat(line, ": the last one, as there is no dev split to ",
                        "choose by.");
  }
  return absl::StrCat(line, ", chosen by its ", Title(MetricOf(run)),
                      " on dev (", report::Score(verdict->main_score()), ").");
}

std::string RoundsTable(const proto::RunDetails& run) {
  if (run.rounds().empty()) return "";
  const std::string metric = MetricOf(run);
  Table table({{""},
               {"round"},
               {"train loss"},
               {"dev loss"},
               {absl::StrCat("dev ", Title(metric)), Align::kRight, 20},
               {"learning rate"},
               {"wall"},
               {"texts/s"}});
  const int first = std::max(0, run.rounds_size() - kRoundRows);
  for (int i = first; i < run.rounds_size(); ++i) {
    const proto::RoundRecord& round = run.rounds(i);
    const uint32_t number = round.plan().round();
    const proto::Verdict* verdict = VerdictOf(run, number);
    const bool has_dev = verdict != nullptr && verdict->has_dev();
    const double wall = WallSeconds(run, round);
    table.AddRow(
        {number == run.run().best_round() ? "*" : "", absl::StrCat(number),
         report::Score(round.train_loss()),
         has_dev ? report::Score(verdict->dev().loss()) : "",
         has_dev ? report::Score(verdict->main_score()) : "",
         absl::StrFormat("%.4g", LearningRateOf(round)), Seconds(wall),
         wall > 0 ? absl::StrFormat("%.0f", round.examples() / wall) : ""});
  }
  std::string text =
      absl::StrCat("\nRounds (* is the best)\n", table.ToString());
  if (first > 0) {
    absl::StrAppend(&text, "  rounds 1 to ", first, " are in rounds.tsv\n");
  }
  return text;
}

// The most frequent confusion of each gold label, as "other (count)".
std::map<std::string, std::string> TopConfusions(
    const proto::EvaluationRecord& test) {
  std::map<std::string, std::string> top;
  for (const proto::Confusion& confusion : test.confusions()) {
    const std::string predicted =
        confusion.predicted().empty() ? "(nothing)" : confusion.predicted();
    top.try_emplace(confusion.gold(),
                    absl::StrCat(Cut(predicted, kLabelWidth), " (",
                                 confusion.count(), ")"));
  }
  return top;
}

std::string ClassesTable(const proto::RunDetails& run) {
  const proto::EvaluationRecord* test = TestOf(run);
  if (test == nullptr || test->classes().empty()) return "";
  const auto top = TopConfusions(*test);
  Table table({{"label", Align::kLeft, kLabelWidth},
               {"precision"},
               {"recall"},
               {"F1"},
               {"support"},
               {"most often taken for", Align::kLeft, 28}});
  const int shown = std::min(test->classes_size(), kClassRows);
  for (int i = 0; i < shown; ++i) {
    const proto::ClassScore& entry = test->classes(i);
    const auto confusion = top.find(entry.label());
    table.AddRow({entry.label(), report::Score(entry.precision()),
                  report::Score(entry.recall()), report::Score(entry.f1()),
                  absl::StrCat(entry.support()),
                  confusion == top.end() ? "" : confusion->second});
  }
  std::string text = absl::StrCat(
      "\nClasses on test, the most frequent first\n", table.ToString());
  if (shown < test->classes_size()) {
    absl::StrAppend(&text, "  ", test->classes_size() - shown,
                    " more classes: final.classes in report.json\n");
  }
  return text;
}

std::string WorkersTable(const proto::RunDetails& run) {
  if (run.workers().empty()) return "";
  Table table({{"worker", Align::kLeft, 20},
               {"device", Align::kLeft, 16},
               {"units"},
               {"texts"},
               {"busy"},
               {"wait"},
               {"memory"}});
  for (const proto::WorkerRecord& worker : run.workers()) {
    table.AddRow({worker.id(), worker.device(), absl::StrCat(worker.units()),
                  absl::StrCat(worker.examples()), Seconds(worker.busy_s()),
                  Seconds(worker.input_wait_s()),
                  Bytes(worker.peak_memory_bytes())});
  }
  std::string text = absl::StrCat(
      "\nWorkers (wait: for input; memory: the peak)\n", table.ToString());
  for (const proto::WorkerRecord& worker : run.workers()) {
    if (worker.ended().empty()) continue;
    text += Wrap(
        absl::StrCat(Cut(worker.id(), kLabelWidth), " left: ", worker.ended()),
        "  ");
  }
  return text;
}

std::string RejectionsText(const proto::RunDetails& run) {
  if (run.rejections().empty()) return "";
  constexpr int kShown = 5;
  std::string text = "\nRejected results (the model is without them)\n";
  for (int i = 0; i < std::min(run.rejections_size(), kShown); ++i) {
    const proto::Rejection& rejection = run.rejections(i);
    text += Wrap(
        absl::StrCat("round ", rejection.round(), ", shard ", rejection.shard(),
                     ", worker ", rejection.worker(), ": ", rejection.detail()),
        "  ");
  }
  if (run.rejections_size() > kShown) {
    absl::StrAppend(&text, "  ", run.rejections_size() - kShown,
                    " more: rejections in report.json\n");
  }
  return text;
}

std::string WarningsText(const proto::RunDetails& run) {
  if (run.run().warnings().empty()) return "";
  constexpr int kShown = 10;
  std::string text = "\nWarnings\n";
  for (int i = 0; i < std::min(run.run().warnings_size(), kShown); ++i) {
    text += Wrap(run.run().warnings(i), "  ");
  }
  if (run.run().warnings_size() > kShown) {
    absl::StrAppend(&text, "  ", run.run().warnings_size() - kShown,
                    " more: warnings in report.json\n");
  }
  return text;
}

std::string FilesText(const proto::RunDetails& run, const std::string& folder) {
  if (folder.empty()) return "";
  std::string text = absl::StrCat("\nFiles in ", folder, "\n");
  if (run.run().best_round() != 0) {
    absl::StrAppend(&text,
                    "  best.safetensors, final.safetensors   the best and the "
                    "last model\n  predictions/                          ",
                    "every decision on dev and test\n");
  }
  absl::StrAppend(&text,
                  "  report.json, rounds.tsv               all numbers\n");
  return text;
}

}  // namespace

std::string ReportText(const proto::RunDetails& run,
                       const std::string& folder) {
  std::string text = Wrap(StateLine(run), "");
  const std::string headline = Headline(run);
  if (!headline.empty()) absl::StrAppend(&text, "\n", Wrap(headline, "  "));
  absl::StrAppend(&text, "\n", Wrap(BestLine(run), ""));
  return absl::StrCat(text, RoundsTable(run), ClassesTable(run),
                      WorkersTable(run), RejectionsText(run), WarningsText(run),
                      FilesText(run, folder), Advice(run, folder));
}

}  // namespace meanfield::report

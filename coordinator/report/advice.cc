#include "coordinator/report/advice.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "coordinator/report/run_view.h"
#include "coordinator/report/wrap.h"

namespace meanfield::report {
namespace {

struct Suggestion {
  std::string why;
  std::string command;
};

bool IsPlain(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         std::string_view("._-/=:,+@%").find(c) != std::string_view::npos;
}

// What to add to the command that trained it, which may have had more options
// than the records tell.
std::string Add(const std::string& set) {
  return absl::StrCat("--set ", ShellQuote(set));
}

// The path of the learning rate in the job, and its value.
std::string LearningRate(const proto::RunDetails& run, double factor) {
  if (run.run().job().task().empty()) return "";
  const proto::Training& training = run.run().job().task(0).training();
  const auto path = [factor](const char* optimizer, double rate) {
    return absl::StrFormat("task.training.%s.learning_rate=%.4g", optimizer,
                           rate * factor);
  };
  if (training.has_adam()) return path("adam", training.adam().learning_rate());
  if (training.has_adamw()) {
    return path("adamw", training.adamw().learning_rate());
  }
  return path("sgd", training.sgd().learning_rate());
}

void SuggestTraining(const proto::RunDetails& run,
                     std::vector<Suggestion>& suggestions) {
  const uint32_t best = run.run().best_round();
  const uint32_t last = static_cast<uint32_t>(run.rounds_size());
  if (run.run().state() == proto::FAILED && last > 0) {
    suggestions.push_back(
        {"a smaller learning rate, if training diverged; train again with",
         Add(LearningRate(run, 0.1))});
  }
  if (run.run().state() != proto::DONE || BestVerdict(run) == nullptr) return;
  if (BestVerdict(run)->main_score() == 0) {
    suggestions.push_back(
        {"more rounds, as no dev score was above 0: a tagger of spans begins "
         "with nothing but O; train again with",
         Add(absl::StrCat("stop.max_rounds=", 5 * last))});
  } else if (best == last) {
    suggestions.push_back(
        {"more rounds, as the last one was still the best; train again with",
         Add(absl::StrCat("stop.max_rounds=", 2 * last))});
  } else {
    suggestions.push_back(
        {absl::StrCat("a smaller learning rate, as dev was best in round ",
                      best, " of ", last, "; train again with"),
         Add(LearningRate(run, 0.5))});
  }
}

}  // namespace

std::string ShellQuote(const std::string& word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), IsPlain)) {
    return word;
  }
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

std::string Advice(const proto::RunDetails& run, const std::string& folder) {
  std::vector<Suggestion> suggestions;
  if (run.run().best_round() != 0 && !folder.empty()) {
    suggestions.push_back({"label your own texts, one a line:",
                           absl::StrCat("meanfield predict ",
                                        ShellQuote(folder), " < texts.txt")});
  }
  SuggestTraining(run, suggestions);
  if (suggestions.empty()) return "";
  std::string text = "\nWhat to try next\n";
  for (const Suggestion& suggestion : suggestions) {
    absl::StrAppend(&text, Wrap(suggestion.why, "  "), "    ",
                    suggestion.command, "\n");
  }
  return text;
}

}  // namespace meanfield::report

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/check.h"
#include "coordinator/schedule/learning_rate.h"
#include "coordinator/schedule/schedule.h"

namespace meanfield::schedule {

namespace {

std::optional<double> ScoreNamed(absl::string_view name,
                                 const proto::EvaluationRecord& evaluation) {
  for (const proto::Score& score : evaluation.scores()) {
    if (score.name() == name) return score.value();
  }
  return std::nullopt;
}

// Flair's AnnealOnPlateau.
void Anneal(const proto::Training& training, bool improved,
            proto::Verdict& verdict) {
  if (!training.has_reduce_on_plateau()) return;
  const auto& rule = training.reduce_on_plateau();
  if (improved) {
    verdict.set_plateau_bad(0);
    return;
  }
  verdict.set_plateau_bad(verdict.plateau_bad() + 1);
  if (verdict.plateau_bad() <= rule.patience()) return;
  verdict.set_plateau_bad(0);
  const float rate = static_cast<float>(
      std::bit_cast<float>(verdict.learning_rate_bits()) * rule.factor());
  verdict.set_learning_rate_bits(std::bit_cast<uint32_t>(rate));
}

const proto::Training& TrainingOf(const proto::JobSpec& job) {
  const proto::Task& task = job.task(0);
  return task.has_training() ? task.training() : job.training();
}

std::string RateReason(const proto::Training& training,
                       const proto::Verdict& verdict) {
  if (!training.has_reduce_on_plateau()) return "";
  const double least = training.reduce_on_plateau().min_learning_rate();
  const float rate = std::bit_cast<float>(verdict.learning_rate_bits());
  if (rate >= static_cast<float>(least)) return "";
  return absl::StrCat("the learning rate, reduced to ", rate,
                      " for want of progress, is below min_learning_rate ",
                      least);
}

std::string EarlyReason(const proto::JobSpec& job,
                        const proto::Verdict& verdict) {
  const uint32_t patience = job.stop().early_stopping_patience();
  if (patience == 0 || verdict.bad_evaluations() < patience) return "";
  const std::string& metric = job.task(0).metric();
  return absl::StrCat(
      "early stopping: ", patience, " evaluations in a row without a better ",
      metric.empty() ? verdict.dev().scores(0).name() : metric, " than ",
      verdict.best_score(), " of round ", verdict.best_round());
}

std::string DivergedReason(const proto::Verdict& verdict) {
  return absl::StrCat("training diverged: the dev loss after round ",
                      verdict.round(), " is ", verdict.dev().loss(),
                      "; a lower learning_rate or max_grad_norm may help");
}

void CountImprovement(const proto::JobSpec& job, proto::Verdict& verdict) {
  const double score = verdict.main_score();
  const double loss = verdict.dev().loss();
  const bool better = std::isfinite(score) && (!verdict.has_best_score() ||
                                               score > verdict.best_score());
  const bool cheaper = verdict.has_best_score() &&
                       score == verdict.best_score() &&
                       loss < verdict.best_loss();
  if (better) {
    verdict.set_best_score(score);
    verdict.set_best_round(verdict.round());
  }
  if (better || cheaper) verdict.set_best_loss(loss);
  verdict.set_is_best(better);
  verdict.set_bad_evaluations(better ? 0 : verdict.bad_evaluations() + 1);
  Anneal(TrainingOf(job), better || cheaper, verdict);
}

// What the newest verdict hands on to the next.
proto::Verdict Successor(const proto::JobSpec& job,
                         const std::optional<proto::Verdict>& previous) {
  proto::Verdict verdict;
  if (!previous.has_value()) {
    const float rate = static_cast<float>(BaseLearningRate(TrainingOf(job)));
    verdict.set_learning_rate_bits(std::bit_cast<uint32_t>(rate));
    return verdict;
  }
  verdict.set_bad_evaluations(previous->bad_evaluations());
  verdict.set_plateau_bad(previous->plateau_bad());
  verdict.set_learning_rate_bits(previous->learning_rate_bits());
  if (previous->has_best_score()) {
    verdict.set_best_score(previous->best_score());
    verdict.set_best_loss(previous->best_loss());
    verdict.set_best_round(previous->best_round());
  }
  return verdict;
}

}  // namespace

proto::Verdict Judge(const proto::JobSpec& job, const proto::RoundPlan& plan,
                     const std::optional<proto::Verdict>& previous,
                     const std::optional<proto::EvaluationRecord>& evaluation) {
  MEANFIELD_CHECK(job.task_size() > 0, "a resolved job has a task");
  proto::Verdict verdict = Successor(job, previous);
  verdict.set_round(plan.round());
  if (!evaluation.has_value()) {
    verdict.set_is_best(true);
  } else {
    const std::string& metric = job.task(0).metric();
    const std::optional<double> score = MainScore(metric, *evaluation);
    MEANFIELD_CHECK(score.has_value(), "no score for metric " + metric);
    *verdict.mutable_dev() = *evaluation;
    verdict.set_main_score(*score);
    verdict.set_diverged(!std::isfinite(evaluation->loss()));
    if (!verdict.diverged()) CountImprovement(job, verdict);
  }
  verdict.set_stop_reason(StopReason(job, verdict));
  if (verdict.stop_reason().empty() && plan.last()) {
    verdict.set_stop_reason(
        plan.round() == 1
            ? "the planned round is done"
            : absl::StrCat("all ", plan.round(), " planned rounds are done"));
  }
  return verdict;
}

std::string StopReason(const proto::JobSpec& job,
                       const proto::Verdict& verdict) {
  if (verdict.diverged()) return DivergedReason(verdict);
  if (!verdict.has_dev()) return "";
  const std::string rate = RateReason(TrainingOf(job), verdict);
  return rate.empty() ? EarlyReason(job, verdict) : rate;
}

std::optional<double> MainScore(const std::string& metric,
                                const proto::EvaluationRecord& evaluation) {
  if (metric.empty()) {
    if (evaluation.scores().empty()) return std::nullopt;
    return evaluation.scores(0).value();
  }
  double sum = 0;
  for (const absl::string_view part : absl::StrSplit(metric, '+')) {
    const std::optional<double> score =
        ScoreNamed(absl::StripAsciiWhitespace(part), evaluation);
    if (!score.has_value()) return std::nullopt;
    sum += *score;
  }
  return sum;
}

}  // namespace meanfield::schedule

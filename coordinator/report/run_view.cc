#include "coordinator/report/run_view.h"

#include <algorithm>
#include <bit>

namespace meanfield::report {

const proto::Verdict* VerdictOf(const proto::RunDetails& run, uint32_t round) {
  for (const proto::Verdict& verdict : run.verdicts()) {
    if (verdict.round() == round) return &verdict;
  }
  return nullptr;
}

const proto::RoundRecord* RoundOf(const proto::RunDetails& run,
                                  uint32_t round) {
  for (const proto::RoundRecord& record : run.rounds()) {
    if (record.plan().round() == round) return &record;
  }
  return nullptr;
}

const proto::Verdict* BestVerdict(const proto::RunDetails& run) {
  const proto::Verdict* verdict = VerdictOf(run, run.run().best_round());
  return verdict != nullptr && verdict->has_dev() ? verdict : nullptr;
}

const proto::EvaluationRecord* TestOf(const proto::RunDetails& run) {
  return run.tests().empty() ? nullptr : &run.tests(run.tests_size() - 1);
}

std::string MetricOf(const proto::RunDetails& run) {
  const proto::JobSpec& job = run.run().job();
  if (job.task_size() > 0 && !job.task(0).metric().empty()) {
    return job.task(0).metric();
  }
  const std::vector<std::string> names = DevScoreNames(run);
  return names.empty() ? "" : names.front();
}

std::optional<double> ScoreOf(const proto::EvaluationRecord& evaluation,
                              std::string_view name) {
  for (const proto::Score& score : evaluation.scores()) {
    if (score.name() == name) return score.value();
  }
  return std::nullopt;
}

std::vector<std::string> DevScoreNames(const proto::RunDetails& run) {
  std::vector<std::string> names;
  for (const proto::Verdict& verdict : run.verdicts()) {
    for (const proto::Score& score : verdict.dev().scores()) {
      if (std::find(names.begin(), names.end(), score.name()) == names.end()) {
        names.push_back(score.name());
      }
    }
  }
  return names;
}

double LearningRateOf(const proto::RoundRecord& round) {
  if (round.plan().cohort().empty()) return 0;
  return std::bit_cast<float>(round.plan().cohort(0).train().lr_first_bits());
}

double WallSeconds(const proto::RunDetails& run,
                   const proto::RoundRecord& round) {
  const proto::Verdict* verdict = VerdictOf(run, round.plan().round());
  return round.wall_s() + (verdict == nullptr ? 0 : verdict->evaluate_s());
}

uint64_t TrainExamples(const proto::RunDetails& run) {
  uint64_t examples = 0;
  for (const proto::ShardRecord& shard : run.run().shards()) {
    if (shard.split() == "train") examples += shard.examples();
  }
  return examples;
}

uint64_t TrainingWorkers(const proto::RunDetails& run) {
  const auto trained =
      std::count_if(run.workers().begin(), run.workers().end(),
                    [](const auto& worker) { return worker.steps() > 0; });
  return std::max<uint64_t>(trained, 1);
}

}  // namespace meanfield::report

#ifndef MEANFIELD_COORDINATOR_REPORT_RUN_VIEW_H_
#define MEANFIELD_COORDINATOR_REPORT_RUN_VIEW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proto/event.pb.h"
#include "proto/job.pb.h"
#include "proto/record.pb.h"

namespace meanfield::report {

// Questions that every report asks of a run's records. Pointers are null where
// there is no such record, and live as long as the records.
const proto::Verdict* VerdictOf(const proto::RunDetails& run, uint32_t round);
const proto::RoundRecord* RoundOf(const proto::RunDetails& run, uint32_t round);
// The verdict that chose the best model; null where no dev score did.
const proto::Verdict* BestVerdict(const proto::RunDetails& run);
// The newest.
const proto::EvaluationRecord* TestOf(const proto::RunDetails& run);

// Name of the score that chooses the best model; empty where unknown.
std::string MetricOf(const proto::RunDetails& run);
std::optional<double> ScoreOf(const proto::EvaluationRecord& evaluation,
                              std::string_view name);
// Names of all dev scores, in the order in which they first appear.
std::vector<std::string> DevScoreNames(const proto::RunDetails& run);

// Learning rate of the round's first step.
double LearningRateOf(const proto::RoundRecord& round);
// Seconds from plan to verdict.
double WallSeconds(const proto::RunDetails& run,
                   const proto::RoundRecord& round);
// Texts of the training split.
uint64_t TrainExamples(const proto::RunDetails& run);
// Workers that trained, at least 1.
uint64_t TrainingWorkers(const proto::RunDetails& run);

}  // namespace meanfield::report

#endif  // MEANFIELD_COORDINATOR_REPORT_RUN_VIEW_H_

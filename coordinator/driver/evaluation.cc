#include "coordinator/driver/evaluation.h"

#include <limits>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/convert/convert.h"
#include "common/metric/label_statistics.h"
#include "common/tensor/safetensors.h"
#include "coordinator/corpus/evaluation_split.h"

namespace meanfield::driver {
namespace {

// The most frequent ones, and the most frequent one of each gold label.
constexpr int kConfusionsKept = 30;

// Outputs by shard; used in the background only.
struct Outputs {
  std::shared_ptr<const corpus::EvaluationSplit> split;
  std::vector<std::string> paths;
};

absl::Status ScoreShard(const Outputs& outputs, size_t shard,
                        const std::string& path,
                        corpus::EvaluationStatistics& statistics,
                        std::string& rows) {
  auto file = SafetensorsFile::Open(path);
  if (absl::IsInvalidArgument(file.status())) {
    return absl::InvalidArgumentError(
        absl::StrCat("malformed: ", file.status().message()));
  }
  MEANFIELD_RETURN_IF_ERROR(file.status());
  const absl::Status status = outputs.split->Score(static_cast<uint32_t>(shard),
                                                   *file, statistics, rows);
  return absl::IsInvalidArgument(status) ? Annotate(status, "shape") : status;
}

// Scored on its own first, so that a bad output is rejected while another
// worker can still be asked.
absl::Status TakeIn(const Phase::Arrival& arrival, Outputs& outputs) {
  corpus::EvaluationStatistics scratch;
  std::string rows;
  MEANFIELD_RETURN_IF_ERROR(
      ScoreShard(outputs, arrival.unit, arrival.path, scratch, rows));
  outputs.paths[arrival.unit] = arrival.path;
  return absl::OkStatus();
}

void Describe(const LabelStatistics& labels, proto::EvaluationRecord& record) {
  for (const LabelStatistics::ClassScores& scores : labels.Classes()) {
    proto::ClassScore& entry = *record.add_classes();
    entry.set_label(scores.label);
    entry.set_precision(scores.precision);
    entry.set_recall(scores.recall);
    entry.set_f1(scores.f1);
    entry.set_support(scores.support());
  }
  std::set<std::string> golds;
  for (const auto& confusion :
       labels.Confusions(std::numeric_limits<size_t>::max())) {
    const bool first_of_gold = golds.insert(confusion.gold).second;
    if (record.confusions_size() >= kConfusionsKept && !first_of_gold) continue;
    proto::Confusion& entry = *record.add_confusions();
    entry.set_gold(confusion.gold);
    entry.set_predicted(confusion.predicted);
    entry.set_count(confusion.count);
  }
  const auto [label, accuracy] = labels.Majority();
  record.set_majority_label(label);
  record.set_majority_accuracy(accuracy);
}

absl::StatusOr<Evaluation> Score(const Outputs& outputs,
                                 proto::EvaluationRecord record) {
  Evaluation evaluation{.record = std::move(record)};
  corpus::EvaluationStatistics statistics;
  for (size_t shard = 0; shard < outputs.paths.size(); ++shard) {
    MEANFIELD_RETURN_IF_ERROR(ScoreShard(outputs, shard, outputs.paths[shard],
                                         statistics, evaluation.rows));
  }
  evaluation.record.set_loss(statistics.loss.Mean());
  evaluation.record.set_examples(outputs.split->size());
  for (const auto& [name, value] : outputs.split->Scores(statistics)) {
    proto::Score& score = *evaluation.record.add_scores();
    score.set_name(name);
    score.set_value(value);
  }
  Describe(statistics.labels, evaluation.record);
  return evaluation;
}

}  // namespace

void Evaluate(RunFloor& floor, const EvaluationWork& work,
              const std::string& label,
              std::function<void(absl::StatusOr<Evaluation>)> done) {
  const corpus::PreparedTask& task = floor.prepared->task;
  auto outputs = std::make_shared<Outputs>();
  outputs->split = work.split == "dev" ? task.dev_split : task.test_split;
  std::vector<Phase::Unit> units =
      EvaluateUnits(*floor.prepared, work, floor.holders);
  outputs->paths.resize(units.size());
  proto::EvaluationRecord record;
  record.set_split(work.split);
  record.set_model(label);
  *record.mutable_model_blob() = ToProto(work.model);
  floor
      .MakePhase(
          {.units = std::move(units),
           .take_in =
               [outputs](const Phase::Arrival& arrival) {
                 return TakeIn(arrival, *outputs);
               },
           .ended =
               [&context = floor.context, outputs, record,
                done = std::move(done)](Phase& phase,
                                        const absl::Status& status) {
                 if (!status.ok()) {
                   phase.Close();
                   return done(status);
                 }
                 InBackground(
                     context,
                     [outputs, record] { return Score(*outputs, record); },
                     done);
                 phase.Close();  // after the score, as it is queued
               }})
      ->Start();
}

}  // namespace meanfield::driver

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/convert/convert.h"
#include "coordinator/driver/blob_refs.h"
#include "coordinator/driver/idle_share.h"
#include "coordinator/driver/progress.h"
#include "coordinator/driver/round_commit.h"
#include "coordinator/driver/run_driver.h"

// The rounds of a RunDriver.
namespace meanfield::driver {
namespace {

constexpr absl::Duration kProgressInterval = absl::Milliseconds(500);

}  // namespace

void RunDriver::StartRound() {
  const auto& sizes = floor_.prepared->shard_sizes;
  if (!open_plan_.has_value() &&
      schedule::PlannedRounds(job(), sizes, past_) == past_.rounds) {
    return StartTest();  // goes on with nothing left to do
  }
  proto::RoundPlan plan = open_plan_.has_value()
                              ? *std::exchange(open_plan_, std::nullopt)
                              : schedule::MakePlan(job(), sizes, past_);
  if (plan.cohort().empty()) return StartTest();
  NoteIdleShare();
  training_ = std::make_shared<RoundTraining>(
      floor_, RoundTraining::Options{.plan = std::move(plan),
                                     .model = model_,
                                     .specs = specs_,
                                     .server_state = server_state_,
                                     .progressed = [this] { OnProgress(); },
                                     .done = Then(&RunDriver::OnTrained)});
  training_->Start();
}

void RunDriver::NoteIdleShare() {
  size_t workers = 0;
  for (const auto& [name, worker] : context_.workers.workers()) {
    if (IsEligible(worker)) ++workers;
  }
  if (workers == workers_noted_) return;
  workers_noted_ = workers;
  const std::string note = IdleShareNote(job().shards(), workers);
  if (!note.empty()) journal_.Warn(note);
}

void RunDriver::OnProgress() {
  if (ended_ || Now() < progress_shown_at_ + kProgressInterval) return;
  progress_shown_at_ = Now();
  proto::RunEvent event;
  *event.mutable_progress() =
      Describe(training_->plan(), training_->progress(), Now());
  journal_.Emit(std::move(event));
}

void RunDriver::OnTrained(absl::StatusOr<proto::RoundRecord> record) {
  if (!record.ok()) return End(record.status());
  round_ = *std::move(record);
  past_.Add(round_.plan());
  model_ = OwnBlob(round_.model());
  kept_.push_back(model_);
  if (round_.has_server_state()) {
    server_state_ = OwnBlob(round_.server_state());
    kept_.push_back(*server_state_);
  }
  *journal_.record().mutable_last_model() = round_.model();
  journal_.Save();
  journal_.SaveWorkers();
  EvaluateRound();
}

void RunDriver::EvaluateRound() {
  evaluation_began_at_ = Now();
  if (!round_.plan().evaluate()) return FinishRound(std::nullopt);
  if (floor_.prepared->task.dev.empty()) return Decide(std::nullopt);
  const uint32_t number = round_.plan().round();
  Evaluate(floor_,
           {.split = "dev",
            .model_name = "global",
            .model = model_,
            .round = number},
           absl::StrCat("round ", number), Then(&RunDriver::OnEvaluated));
}

void RunDriver::OnEvaluated(absl::StatusOr<Evaluation> evaluation) {
  if (!evaluation.ok()) return End(evaluation.status());
  Decide(*std::move(evaluation));
}

void RunDriver::Decide(std::optional<Evaluation> evaluation) {
  std::optional<proto::EvaluationRecord> dev;
  if (evaluation.has_value()) dev = evaluation->record;
  proto::Verdict verdict =
      schedule::Judge(job(), round_.plan(), past_.verdict, dev);
  verdict.set_evaluate_s(absl::ToDoubleSeconds(Now() - evaluation_began_at_));
  InBackground(
      context_,
      [&store = context_.store, run = journal_.run(), verdict,
       rows = evaluation.has_value()
                  ? std::move(evaluation->rows)
                  : ""]() mutable -> absl::StatusOr<proto::Verdict> {
        if (verdict.is_best() && !rows.empty()) {
          MEANFIELD_ASSIGN_OR_RETURN(
              const Blob blob, store.blobs().Put(rows, Durability::kDurable));
          *verdict.mutable_dev()->mutable_predictions() = ToProto(blob);
        }
        MEANFIELD_RETURN_IF_ERROR(store.CommitVerdict(run, verdict));
        return verdict;
      },
      Then(&RunDriver::OnVerdict));
}

void RunDriver::OnVerdict(absl::StatusOr<proto::Verdict> verdict) {
  if (!verdict.ok()) return End(verdict.status());
  past_.verdict = *verdict;
  if (verdict->is_best()) {
    best_ = model_;
    journal_.record().set_best_round(round_.plan().round());
    *journal_.record().mutable_best_model() = ToProto(model_);
    journal_.Save();
  }
  FinishRound(*verdict);
}

void RunDriver::FinishRound(const std::optional<proto::Verdict>& verdict) {
  EmitRound(verdict);
  RemoveSuperseded();
  if (verdict.has_value()) {
    stop_reason_ = verdict->stop_reason();
    if (verdict->diverged()) return End(absl::AbortedError(stop_reason_));
  }
  if (round_.plan().last() || !stop_reason_.empty()) return StartTest();
  StartRound();
}

void RunDriver::EmitRound(const std::optional<proto::Verdict>& verdict) {
  proto::RunEvent event;
  proto::RunEvent::RoundDone& done = *event.mutable_round();
  *done.mutable_record() = round_;
  if (verdict.has_value()) *done.mutable_verdict() = *verdict;
  const uint32_t planned =
      schedule::PlannedRounds(job(), floor_.prepared->shard_sizes, past_);
  done.set_rounds_planned(planned);
  const double per_round = absl::ToDoubleSeconds(Now() - rounds_began_at_) /
                           std::max(1u, past_.rounds - rounds_before_);
  done.set_eta_s(per_round * (planned - std::min(planned, past_.rounds)));
  if (training_ != nullptr) {
    *done.mutable_workers() =
        Describe(training_->plan(), training_->progress(), Now()).workers();
  }
  journal_.Emit(std::move(event));
}

void RunDriver::RemoveSuperseded() {
  std::vector<Blob> still;
  for (const Blob& blob : kept_) {
    if (blob == model_ || blob == best_ || blob == server_state_) {
      if (std::find(still.begin(), still.end(), blob) == still.end()) {
        still.push_back(blob);
      }
      continue;
    }
    context_.workers.ForgetBlob(blob.id);
    context_.background.Post(
        [&store = context_.store, run = journal_.run(), blob] {
          const absl::Status status = RemoveModel(store, run, blob);
          if (!status.ok()) {
            Log(LogLevel::kWarning, "model_not_removed",
                {{"blob", blob.id}, {"reason", status.ToString()}});
          }
        });
  }
  kept_ = std::move(still);
}

}  // namespace meanfield::driver

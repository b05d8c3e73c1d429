#include "coordinator/driver/run_driver.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/convert/convert.h"
#include "coordinator/driver/run_state.h"
#include "coordinator/driver/update_spool.h"

namespace meanfield::driver {

RunDriver::RunDriver(Context& context, EventLog& events,
                     proto::RunRecord record, std::vector<std::string> warnings)
    : context_(context),
      journal_(context, events, std::move(record),
               [this](const absl::Status& status) { End(status); }),
      floor_{.context = context,
             .journal = journal_,
             .eligible = [this](const Worker& w) { return IsEligible(w); }},
      warnings_(std::move(warnings)) {}

// ---- preparation

void RunDriver::Start(std::function<void()> done) {
  done_ = std::move(done);
  proto::RunRecord& record = journal_.record();
  record.set_state(proto::PREPARING);
  record.clear_reason();
  record.clear_ended_unix_ms();
  if (record.has_manifest()) {
    record.set_times_resumed(record.times_resumed() + 1);
  } else {
    record.set_started_unix_ms(absl::ToUnixMillis(context_.clock.WallNow()));
  }
  journal_.Save();
  for (const std::string& warning : warnings_) journal_.Warn(warning);
  for (const auto& [name, worker] : context_.workers.workers()) {
    journal_.OnWorkerJoined(worker);
  }
  InBackground(
      context_,
      [record, &store = context_.store] { return Open(record, store); },
      Then(&RunDriver::OnPrepared));
}

absl::StatusOr<RunDriver::Opening> RunDriver::Open(
    const proto::RunRecord& record, store::RunStore& store) {
  Opening opening;
  MEANFIELD_ASSIGN_OR_RETURN(opening.prepared, PrepareRun(record, store));
  MEANFIELD_RETURN_IF_ERROR(CheckSameCorpus(record, *opening.prepared));
  MEANFIELD_ASSIGN_OR_RETURN(opening.standing, StandingOf(record.id(), store));
  return opening;
}

void RunDriver::OnPrepared(absl::StatusOr<Opening> opening) {
  if (!opening.ok()) return End(opening.status());
  floor_.prepared = std::move(opening->prepared);
  Describe(*floor_.prepared, journal_.record());
  journal_.record().set_state(proto::RUNNING);
  journal_.record().clear_warnings();
  for (const std::string& warning : warnings_) {
    journal_.record().add_warnings(warning);
  }
  for (const std::string& warning : floor_.prepared->task.warnings) {
    journal_.record().add_warnings(warning);
    journal_.Warn(warning);
  }
  journal_.Save();
  journal_.AddWorkers(opening->standing.workers);
  if (!opening->standing.specs.empty()) {
    return GoOn(std::move(opening->standing));
  }
  MakeFirstModel(floor_, Then(&RunDriver::OnFirstModel));
}

void RunDriver::GoOn(Standing standing) {
  specs_ = std::move(standing.specs);
  past_ = std::move(standing.past);
  model_ = standing.model;
  best_ = standing.best;
  server_state_ = standing.server_state;
  kept_ = std::move(standing.ever);
  open_plan_ = std::move(standing.open_plan);
  rounds_before_ = past_.rounds;
  rounds_began_at_ = Now();
  // What a crash kept the record from learning.
  proto::RunRecord& record = journal_.record();
  *record.mutable_last_model() = ToProto(model_);
  if (best_.has_value()) {
    record.set_best_round(standing.best_round);
    *record.mutable_best_model() = ToProto(*best_);
  }
  journal_.Save();
  journal_.Info(absl::StrCat("goes on after round ", past_.rounds));
  if (standing.last_round.has_value()) round_ = *std::move(standing.last_round);
  if (standing.evaluation_due) return EvaluateRound();
  if (past_.verdict.has_value()) {
    RemoveSuperseded();
    stop_reason_ = schedule::StopReason(job(), *past_.verdict);
    if (past_.verdict->diverged()) return End(absl::AbortedError(stop_reason_));
  }
  if (!stop_reason_.empty()) return StartTest();
  StartRound();
}

void RunDriver::OnFirstModel(absl::StatusOr<FirstModel> model) {
  if (!model.ok()) return End(model.status());
  model_ = model->blob;
  specs_ = model->specs;
  kept_.push_back(model_);
  proto::RunRecord& record = journal_.record();
  *record.mutable_initial_model() = ToProto(model_);
  *record.mutable_last_model() = ToProto(model_);
  for (const TensorSpec& spec : specs_) *record.add_tensors() = ToProto(spec);
  journal_.Save();
  rounds_began_at_ = Now();
  StartRound();
}

bool RunDriver::IsEligible(const Worker& worker) {
  proto::RunRecord& record = journal_.record();
  const std::string& its = worker.identity.numerics_class;
  if (record.numerics_class().empty()) record.set_numerics_class(its);
  if (record.numerics_class() == its) return true;
  if (strangers_.insert(worker.identity.name).second) {
    journal_.Warn(absl::StrCat("worker \"", worker.identity.name,
                               "\" gets no work from this run: it is "
                               "of the numerics class \"",
                               its, "\", the run is of \"",
                               record.numerics_class(),
                               "\", and mixing them would change the bits"));
  }
  return false;
}

// ---- test

void RunDriver::StartTest() {
  proto::RunRecord& record = journal_.record();
  if (!best_.has_value()) {  // never evaluated: the last one is all there is
    best_ = model_;
    record.set_best_round(past_.rounds);
    *record.mutable_best_model() = ToProto(model_);
    journal_.Save();
  }
  if (floor_.prepared->task.test.empty()) return End(absl::OkStatus());
  Evaluate(floor_,
           {.split = "test",
            .model_name = "best",
            .model = *best_,
            .round = past_.rounds},
           absl::StrCat("best (round ", record.best_round(), ")"),
           Then(&RunDriver::OnTested));
}

void RunDriver::OnTested(absl::StatusOr<Evaluation> evaluation) {
  if (!evaluation.ok()) return End(Annotate(evaluation.status(), "final test"));
  InBackground(
      context_,
      [&store = context_.store, run = journal_.run(),
       evaluation = *std::move(
           evaluation)]() mutable -> absl::StatusOr<proto::EvaluationRecord> {
        MEANFIELD_ASSIGN_OR_RETURN(
            const Blob blob,
            store.blobs().Put(evaluation.rows, Durability::kDurable));
        *evaluation.record.mutable_predictions() = ToProto(blob);
        MEANFIELD_RETURN_IF_ERROR(store.PutTest(run, evaluation.record));
        return evaluation.record;
      },
      Then(&RunDriver::OnTestStored));
}

void RunDriver::OnTestStored(absl::StatusOr<proto::EvaluationRecord> test) {
  if (!test.ok()) return End(test.status());
  proto::RunEvent event;
  *event.mutable_test() = *std::move(test);
  journal_.Emit(std::move(event));
  End(absl::OkStatus());
}

// ---- workers and the end

void RunDriver::OnWorkerJoined(const Worker& worker) {
  if (!ended_) journal_.OnWorkerJoined(worker);
}

void RunDriver::OnWorkerLost(const std::string& worker,
                             const std::string& why) {
  if (!ended_) journal_.OnWorkerLost(worker, why);
}

void RunDriver::Stop(const absl::Status& reason) { End(reason); }

void RunDriver::Suspend(const absl::Status& reason) {
  End(reason, /*suspended=*/true);
}

void RunDriver::End(const absl::Status& status, bool suspended) {
  if (ended_) return;
  ended_ = true;
  if (training_ != nullptr) training_->Abandon();
  if (done_ != nullptr && context_.phase != nullptr) {
    context_.phase->Cancel(status);
  }
  const std::string reason =
      status.ok() ? stop_reason_ : std::string(status.message());
  journal_.Close(
      suspended ? proto::QUEUED : EndState(status), reason,
      [self = shared_from_this(), status, reason](const absl::Status& closed) {
        self->OnClosed(status, reason, closed);
      });
  const bool resumable = absl::IsUnavailable(status);
  context_.background.Post(
      [&store = context_.store, run = journal_.run(), resumable] {
        RemoveIncoming(store, run);
        if (!resumable) RemoveUpdates(store, run);
      });
}

void RunDriver::OnClosed(const absl::Status& status, const std::string& reason,
                         const absl::Status& closed) {
  proto::RunEvent event;
  event.mutable_ended()->set_state(EndState(status));
  event.mutable_ended()->set_reason(reason);
  event.mutable_ended()->set_code(static_cast<int>(status.code()));
  if (!closed.ok()) {
    event.mutable_ended()->set_state(proto::FAILED);
    event.mutable_ended()->set_reason(
        absl::StrCat(reason, reason.empty() ? "" : "; ",
                     "the end could not be recorded: ", closed.message()));
  }
  journal_.Emit(std::move(event));
  training_.reset();
  if (done_ != nullptr) std::exchange(done_, nullptr)();
}

}  // namespace meanfield::driver

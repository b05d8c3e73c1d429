#include "coordinator/driver/run_driver.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/convert/convert.h"
#include "coordinator/driver/idle_share.h"
#include "coordinator/driver/progress.h"
#include "coordinator/driver/round_commit.h"
#include "coordinator/driver/run_state.h"

namespace meanfield::driver {
namespace {

constexpr absl::Duration kProgressInterval = absl::Milliseconds(500);

}  // namespace

RunDriver::RunDriver(Context& context, EventLog& events,
                     proto::RunRecord record, std::vector<std::string> warnings)
    : context_(context),
      journal_(context, events, std::move(record),
               [this](const absl::Status& status) { End(status); }),
      floor_{.context = context,
             .journal = journal_,
             .eligible = [this](const Worker& w) { return IsEligible(w); }},
      warnings_(std::move(warnings)) {}

template <typename T>
std::function<void(T)> RunDriver::Then(void (RunDriver::*method)(T)) {
  return [self = shared_from_this(), method](T value) {
    if (!self->ended_) (self.get()->*method)(std::move(value));
  };
}

// ---- preparation

void RunDriver::Start(std::function<void()> done) {
  done_ = std::move(done);
  journal_.record().set_state(proto::PREPARING);
  journal_.record().set_started_unix_ms(
      absl::ToUnixMillis(context_.clock.WallNow()));
  journal_.Save();
  for (const std::string& warning : warnings_) journal_.Warn(warning);
  for (const auto& [name, worker] : context_.workers.workers()) {
    journal_.OnWorkerJoined(worker);
  }
  InBackground(
      context_,
      [record = journal_.record(), &store = context_.store] {
        return PrepareRun(record, store);
      },
      Then(&RunDriver::OnPrepared));
}

void RunDriver::OnPrepared(Prepared prepared) {
  if (!prepared.ok()) return End(prepared.status());
  floor_.prepared = *std::move(prepared);
  Describe(*floor_.prepared, journal_.record());
  journal_.record().set_state(proto::RUNNING);
  journal_.Save();
  for (const std::string& warning : floor_.prepared->task.warnings) {
    journal_.Warn(warning);
  }
  MakeFirstModel(floor_, Then(&RunDriver::OnFirstModel));
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

// ---- rounds

void RunDriver::StartRound() {
  proto::RoundPlan plan =
      schedule::MakePlan(job(), floor_.prepared->shard_sizes, past_);
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
  model_ = Blob{.id = round_.model().id(), .size = round_.model().size()};
  kept_.push_back(model_);
  if (round_.has_server_state()) {
    server_state_ = Blob{.id = round_.server_state().id(),
                         .size = round_.server_state().size()};
    kept_.push_back(*server_state_);
  }
  *journal_.record().mutable_last_model() = round_.model();
  journal_.Save();
  journal_.SaveWorkers();
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
  const double per_round =
      absl::ToDoubleSeconds(Now() - rounds_began_at_) / past_.rounds;
  done.set_eta_s(per_round * (planned - std::min(planned, past_.rounds)));
  *done.mutable_workers() =
      Describe(training_->plan(), training_->progress(), Now()).workers();
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

void RunDriver::End(const absl::Status& status) {
  if (ended_) return;
  ended_ = true;
  if (training_ != nullptr) training_->Abandon();
  if (done_ != nullptr && context_.phase != nullptr) {
    context_.phase->Cancel(status);
  }
  const std::string reason =
      status.ok() ? stop_reason_ : std::string(status.message());
  journal_.Close(
      EndState(status), reason,
      [self = shared_from_this(), status, reason](const absl::Status& closed) {
        self->OnClosed(status, reason, closed);
      });
  context_.background.Post([&store = context_.store, run = journal_.run()] {
    RemoveIncoming(store, run);
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

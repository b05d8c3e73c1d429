#include "coordinator/driver/coordinator.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/mutex.h"
#include "common/base/status.h"
#include "common/convert/convert.h"
#include "coordinator/driver/context.h"
#include "coordinator/driver/corpus_roots.h"
#include "coordinator/driver/dispatcher.h"
#include "coordinator/driver/event_sink.h"
#include "coordinator/driver/lease_table.h"
#include "coordinator/driver/open_runs.h"
#include "coordinator/driver/prediction.h"
#include "coordinator/driver/prepared_run.h"
#include "coordinator/driver/random_token.h"
#include "coordinator/driver/run_id.h"
#include "coordinator/driver/run_state.h"
#include "coordinator/driver/serial_executor.h"
#include "coordinator/driver/worker_registry.h"

namespace meanfield::driver {
namespace {

constexpr size_t kLongestName = 256;
constexpr size_t kSessionDigits = 32;

class SinkSubscription : public Subscription {
 public:
  explicit SinkSubscription(std::shared_ptr<EventSink> sink)
      : sink_(std::move(sink)) {}
  ~SinkSubscription() override { sink_->Close(); }

 private:
  std::shared_ptr<EventSink> sink_;
};

absl::Status CheckIdentity(const WorkerIdentity& worker) {
  if (worker.name.empty() || worker.name.size() > kLongestName) {
    return absl::InvalidArgumentError(
        absl::StrCat("a worker's name has 1 to ", kLongestName,
                     " bytes, this one has ", worker.name.size()));
  }
  if (std::any_of(worker.name.begin(), worker.name.end(),
                  [](unsigned char c) { return absl::ascii_iscntrl(c); })) {
    return absl::InvalidArgumentError(
        "a worker's name has no control characters");
  }
  if (worker.numerics_class.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "worker \"", worker.name, "\" does not say its numerics class"));
  }
  return absl::OkStatus();
}

// One reply that another thread waits for.
template <typename Value>
class Reply {
 public:
  void Set(Value value) {
    MutexLock lock(mutex_);
    value_ = std::move(value);
    set_.NotifyAll();
  }
  Value Wait() {
    MutexLock lock(mutex_);
    while (!value_.has_value()) set_.Wait(mutex_);
    return *std::move(value_);
  }

 private:
  Mutex mutex_;
  CondVar set_;
  std::optional<Value> value_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

struct Coordinator::State {
  State(Options given, std::unique_ptr<store::RunStore> opened)
      : options(std::move(given)),
        store(std::move(opened)),
        own_actor(options.actor == nullptr ? std::make_unique<SerialExecutor>()
                                           : nullptr),
        own_background(options.background == nullptr
                           ? std::make_unique<SerialExecutor>()
                           : nullptr),
        context{.clock = *options.clock,
                .actor = options.actor == nullptr ? *own_actor : *options.actor,
                .background = options.background == nullptr
                                  ? *own_background
                                  : *options.background,
                .store = *store,
                .leases = leases,
                .workers = workers,
                .policy = options.policy,
                .fold_device = options.fold_device,
                // A lease of an earlier coordinator must not be met again.
                .next_lease = (RandomBits() >> 24 << 16) + 1},
        dispatcher(context) {}

  const Options options;
  const std::unique_ptr<store::RunStore> store;
  LeaseTable leases;
  // Sessions enter the table and the actor's queue in the same order.
  Mutex join_mutex;

  std::unique_ptr<Executor> own_actor;
  std::unique_ptr<Executor> own_background;

  // ---- the actor's
  WorkerRegistry workers;
  Context context;
  Dispatcher dispatcher;
};

absl::StatusOr<std::unique_ptr<Coordinator>> Coordinator::Create(
    Options options) {
  MEANFIELD_CHECK(options.clock != nullptr, "a coordinator needs a clock");
  MEANFIELD_ASSIGN_OR_RETURN(std::unique_ptr<store::RunStore> store,
                             store::RunStore::Open(options.state_dir));
  MEANFIELD_ASSIGN_OR_RETURN(std::vector<proto::RunDetails> open,
                             OpenRuns(*store));
  auto state = std::make_unique<State>(std::move(options), std::move(store));
  for (proto::RunDetails& run : open) {
    state->context.actor.Post([state = state.get(), run = std::move(run)] {
      state->dispatcher.AddAgain(run);
    });
  }
  return std::unique_ptr<Coordinator>(new Coordinator(std::move(state)));
}

Coordinator::Coordinator(std::unique_ptr<State> state)
    : state_(std::move(state)) {}

Coordinator::~Coordinator() {
  Context& context = state_->context;
  context.actor.Post([state = state_.get()] { state->dispatcher.Shutdown(); });
  // The last step of a run goes actor, background, actor.
  context.actor.Drain();
  context.background.Drain();
  context.actor.Drain();
  context.background.Drain();
  RemoveIncoming(*state_->store, kPredictionFolder);
  // The threads end before what they work on.
  state_->own_background.reset();
  state_->own_actor.reset();
}

// ---- runs

absl::StatusOr<std::string> Coordinator::Submit(const job::JobSource& source) {
  job::JobResult result = job::LoadJob(source);
  std::vector<std::string> warnings = result.warnings;
  MEANFIELD_ASSIGN_OR_RETURN(proto::JobSpec job,
                             job::ToStatusOr(std::move(result)));
  MEANFIELD_RETURN_IF_ERROR(
      CheckCorpusRoots(job, state_->options.corpus_roots));
  const absl::Time now = state_->options.clock->WallNow();
  proto::RunRecord record;
  record.set_id(MakeRunId(job.name(), now, RandomToken(4)));
  *record.mutable_job() = std::move(job);
  record.set_job_path(source.path);
  record.set_state(proto::QUEUED);
  record.set_created_unix_ms(absl::ToUnixMillis(now));
  MEANFIELD_RETURN_IF_ERROR(state_->store->PutRun(record));
  const std::string run = record.id();
  state_->context.actor.Post([state = state_.get(), record = std::move(record),
                              warnings = std::move(warnings)]() mutable {
    state->dispatcher.AddRun(std::move(record), std::move(warnings));
  });
  return run;
}

absl::Status Coordinator::Cancel(const std::string& run,
                                 const std::string& reason) {
  // It is shown on other people's terminals.
  std::string text = reason;
  std::replace_if(
      text.begin(), text.end(),
      [](unsigned char c) { return absl::ascii_iscntrl(c); }, ' ');
  return Stop(run, absl::CancelledError(text));
}

absl::Status Coordinator::Interrupt(const std::string& run,
                                    const std::string& reason) {
  return Stop(run, absl::UnavailableError(reason));
}

absl::Status Coordinator::Resume(const std::string& run,
                                 const proto::JobSpec* job) {
  MEANFIELD_ASSIGN_OR_RETURN(const proto::RunRecord record,
                             state_->store->GetRun(run));
  if (!IsEnd(record.state())) {
    return absl::FailedPreconditionError(absl::StrCat(
        "run ", run, " is not over: ", proto::RunState_Name(record.state())));
  }
  MEANFIELD_ASSIGN_OR_RETURN(proto::RunDetails details,
                             ReopenRun(*state_->store, run, job));
  state_->context.actor.Post(
      [state = state_.get(), details = std::move(details)] {
        state->dispatcher.AddAgain(details);
      });
  return absl::OkStatus();
}

absl::Status Coordinator::Stop(const std::string& run,
                               const absl::Status& status) {
  MEANFIELD_ASSIGN_OR_RETURN(const proto::RunRecord record,
                             state_->store->GetRun(run));
  if (IsEnd(record.state())) {
    return absl::FailedPreconditionError(absl::StrCat(
        "run ", run, " has ended already: ", RunState_Name(record.state())));
  }
  state_->context.actor.Post([state = state_.get(), run, status] {
    state->dispatcher.Stop(run, status);
  });
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<Subscription>> Coordinator::Watch(
    const std::string& run, uint64_t after_sequence,
    std::function<void(const proto::RunEvent&)> sink) {
  MEANFIELD_RETURN_IF_ERROR(state_->store->GetRun(run).status());
  auto shared = std::make_shared<EventSink>(std::move(sink));
  state_->context.actor.Post(
      [state = state_.get(), run, after_sequence, shared] {
        state->dispatcher.Watch(run, after_sequence, shared);
      });
  return std::make_shared<SinkSubscription>(std::move(shared));
}

store::RunStore& Coordinator::store() { return *state_->store; }

std::vector<WorkerView> Coordinator::Workers() {
  auto reply = std::make_shared<Reply<std::vector<WorkerView>>>();
  state_->context.actor.Post([state = state_.get(), reply] {
    reply->Set(state->dispatcher.Workers());
  });
  return reply->Wait();
}

absl::StatusOr<std::vector<std::string>> Coordinator::Predict(
    const PredictRequest& request) {
  auto reply = std::make_shared<Reply<Prediction::Outputs>>();
  state_->context.actor.Post([state = state_.get(), request, reply] {
    state->dispatcher.Add(std::make_shared<Prediction>(
        state->context, request, [reply](Prediction::Outputs outputs) {
          reply->Set(std::move(outputs));
        }));
  });
  return reply->Wait();
}

// ---- workers

absl::StatusOr<std::string> Coordinator::Join(
    const WorkerIdentity& worker, std::shared_ptr<WorkerLink> link) {
  MEANFIELD_RETURN_IF_ERROR(CheckIdentity(worker));
  Worker joined{.identity = worker,
                .session = RandomToken(kSessionDigits),
                .link = std::move(link),
                .joined = state_->options.clock->Now()};
  const std::string session = joined.session;
  MutexLock lock(state_->join_mutex);
  MEANFIELD_RETURN_IF_ERROR(
      state_->leases.AddSession(session, joined.process()));
  state_->context.actor.Post(
      [state = state_.get(), joined = std::move(joined)]() mutable {
        state->dispatcher.Join(std::move(joined));
      });
  return session;
}

void Coordinator::Leave(const std::string& session, const absl::Status& why) {
  state_->leases.RemoveSession(session);
  const std::string reason(why.ok() ? "it hung up" : why.message());
  state_->context.actor.Post([state = state_.get(), session, reason] {
    state->dispatcher.Leave(session, reason);
  });
}

void Coordinator::OnProgress(const std::string& session,
                             const Progress& progress) {
  state_->context.actor.Post([state = state_.get(), session, progress] {
    state->dispatcher.OnProgress(session, progress);
  });
}

void Coordinator::OnResult(const std::string& session, uint64_t lease,
                           const proto::UnitResult& result) {
  state_->context.actor.Post([state = state_.get(), session, lease, result] {
    state->dispatcher.OnResult(session, lease, result);
  });
}

void Coordinator::OnFailure(const std::string& session, uint64_t lease,
                            const absl::Status& status) {
  state_->context.actor.Post([state = state_.get(), session, lease, status] {
    state->dispatcher.OnFailure(session, lease, status);
  });
}

absl::StatusOr<std::string> Coordinator::ReadableBlob(
    const std::string& session, const std::string& blob_id) {
  MEANFIELD_ASSIGN_OR_RETURN(const Blob blob,
                             state_->leases.Readable(session, blob_id));
  return state_->store->blobs().Path(blob);
}

absl::StatusOr<std::string> Coordinator::UploadPath(
    const std::string& session, uint64_t lease, const proto::BlobRef& output) {
  MEANFIELD_ASSIGN_OR_RETURN(const Blob blob, FromProto(output));
  return state_->leases.UploadPath(session, lease, blob);
}

absl::Status Coordinator::SealUpload(const std::string& session, uint64_t lease,
                                     const proto::BlobRef& output) {
  MEANFIELD_ASSIGN_OR_RETURN(const Blob blob, FromProto(output));
  return state_->leases.Seal(session, lease, blob);
}

}  // namespace meanfield::driver

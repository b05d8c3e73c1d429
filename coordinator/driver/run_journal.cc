#include "coordinator/driver/run_journal.h"

#include <algorithm>
#include <utility>

#include "common/base/log.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/convert/convert.h"

namespace meanfield::driver {
namespace {

absl::Status PutWorkers(store::RunStore& store, const std::string& run,
                        const std::vector<proto::WorkerRecord>& workers) {
  for (const proto::WorkerRecord& worker : workers) {
    MEANFIELD_RETURN_IF_ERROR(store.PutWorker(run, worker));
  }
  return absl::OkStatus();
}

}  // namespace

RunJournal::RunJournal(Context& context, EventLog& events,
                       proto::RunRecord record,
                       std::function<void(const absl::Status&)> on_error)
    : context_(context),
      events_(events),
      record_(std::move(record)),
      on_error_(std::move(on_error)) {}

void RunJournal::Save() {
  Write([&store = context_.store, record = record_] {
    return store.PutRun(record);
  });
}

void RunJournal::Emit(proto::RunEvent event) {
  events_.Append(std::move(event), context_.clock.WallNow());
}

void RunJournal::Note(std::string_view level, std::string_view text) {
  Log(level == "warning" ? LogLevel::kWarning : LogLevel::kInfo, "note",
      {{"run", run()}, {"text", text}});
  proto::RunEvent event;
  event.mutable_note()->set_level(std::string(level));
  event.mutable_note()->set_text(std::string(text));
  Emit(std::move(event));
}

void RunJournal::AddWorkers(const std::vector<proto::WorkerRecord>& workers) {
  for (const proto::WorkerRecord& worker : workers) {
    // Nothing is counted before the corpus is read: only who is here.
    const auto here = workers_.find(worker.id());
    const bool present = here != workers_.end() && here->second.ended().empty();
    workers_[worker.id()] = worker;
    if (present) workers_[worker.id()].clear_ended();
  }
}

void RunJournal::OnWorkerJoined(const Worker& worker) {
  proto::WorkerRecord& record = WorkerOf(worker.identity.name);
  record.set_device(worker.identity.device);
  record.set_numerics_class(worker.identity.numerics_class);
  record.clear_ended();
}

void RunJournal::OnWorkerLost(const std::string& worker,
                              const std::string& why) {
  WorkerOf(worker).set_ended(why);
  Warn(StrCat("worker \"", worker, "\" is gone: ", why));
}

void RunJournal::CountUnit(const std::string& worker, proto::UnitKind kind,
                           const proto::TrainStatistics& statistics) {
  proto::WorkerRecord& record = WorkerOf(worker);
  record.set_units(record.units() + 1);
  record.set_busy_s(record.busy_s() + statistics.busy_s());
  record.set_input_wait_s(record.input_wait_s() + statistics.input_wait_s());
  record.set_peak_memory_bytes(
      std::max(record.peak_memory_bytes(), statistics.peak_memory_bytes()));
  if (kind != proto::TRAIN) return;
  record.set_steps(record.steps() + statistics.steps());
  record.set_examples(record.examples() + statistics.examples());
  record.set_tokens(record.tokens() + statistics.tokens());
}

void RunJournal::SaveWorkers() {
  Write([&store = context_.store, run = run(), workers = Workers()] {
    return PutWorkers(store, run, workers);
  });
}

void RunJournal::Reject(const proto::UnitKey& unit, const std::string& worker,
                        const absl::Status& status) {
  const std::string message(status.message());
  proto::Rejection rejection;
  rejection.set_reason(message.substr(0, message.find(':')));
  rejection.set_worker(worker);
  rejection.set_task(unit.task());
  rejection.set_shard(unit.shard());
  rejection.set_round(unit.round());
  rejection.set_detail(message);
  Warn(StrCat("the result of ", UnitName(unit), " from worker \"", worker,
              "\" was rejected: ", message));
  Write([&store = context_.store, run = run(), rejection] {
    return store.AddRejection(run, rejection);
  });
}

void RunJournal::Close(proto::RunState state, const std::string& reason,
                       std::function<void(const absl::Status&)> then) {
  record_.set_state(state);
  record_.set_reason(reason);
  record_.set_ended_unix_ms(absl::ToUnixMillis(context_.clock.WallNow()));
  InBackground(
      context_,
      [&store = context_.store, record = record_, workers = Workers()] {
        const absl::Status status = PutWorkers(store, record.id(), workers);
        // Also where the workers could not be written: the end matters more.
        absl::Status put = store.PutRun(record);
        return put.ok() ? status : put;
      },
      std::move(then));
}

void RunJournal::Write(std::function<absl::Status()> write) {
  InBackground(context_, std::move(write),
               [on_error = on_error_](const absl::Status& status) {
                 if (!status.ok()) on_error(status);
               });
}

proto::WorkerRecord& RunJournal::WorkerOf(const std::string& name) {
  proto::WorkerRecord& record = workers_[name];
  record.set_id(name);
  return record;
}

std::vector<proto::WorkerRecord> RunJournal::Workers() const {
  std::vector<proto::WorkerRecord> workers;
  for (const auto& [name, record] : workers_) workers.push_back(record);
  return workers;
}

}  // namespace meanfield::driver

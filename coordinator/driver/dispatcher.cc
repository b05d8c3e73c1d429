#include "coordinator/driver/dispatcher.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/log.h"
#include "coordinator/driver/run_driver.h"

namespace meanfield::driver {
namespace {

// Logs of ended runs that stay in memory; others come from the records.
constexpr size_t kKeptLogs = 16;

}  // namespace

// ---- activities

void Dispatcher::AddRun(proto::RunRecord record,
                        std::vector<std::string> warnings) {
  const std::string run = record.id();
  Add({.run = run,
       .activity = std::make_shared<RunDriver>(
           context_, logs_[run], std::move(record), std::move(warnings))});
}

void Dispatcher::AddAgain(const proto::RunDetails& run) {
  // Who still watches the old log has seen its end.
  logs_[run.run().id()] = LogFromRecords(run);
  AddRun(run.run(), /*warnings=*/{});
}

void Dispatcher::Add(std::shared_ptr<Activity> activity) {
  Add({.run = "", .activity = std::move(activity)});
}

void Dispatcher::Add(Entry entry) {
  queue_.push_back(std::move(entry));
  if (current_.activity == nullptr) StartNext();
}

void Dispatcher::StartNext() {
  if (stopping_ || queue_.empty() || current_.activity != nullptr) return;
  current_ = std::move(queue_.front());
  queue_.pop_front();
  current_.activity->Start([this] { OnActivityDone(); });
}

void Dispatcher::OnActivityDone() {
  // The caller is the activity itself: it goes, and the next comes, later.
  context_.actor.Post([this, ended = std::exchange(current_, {})]() mutable {
    ended = {};
    context_.workers.ForgetAllBlobs();
    ForgetOldLogs();
    StartNext();
  });
}

void Dispatcher::ForgetOldLogs() {
  size_t ended = std::count_if(logs_.begin(), logs_.end(), [](const auto& log) {
    return log.second.ended();
  });
  // Ids hold the time of submission behind the job's name: any order will do.
  for (auto log = logs_.begin(); log != logs_.end() && ended > kKeptLogs;) {
    if (!log->second.ended()) {
      ++log;
      continue;
    }
    log = logs_.erase(log);
    --ended;
  }
}

void Dispatcher::Stop(const std::string& run, const absl::Status& status) {
  if (current_.activity != nullptr && current_.run == run) {
    const std::shared_ptr<Activity> activity = current_.activity;
    return activity->Stop(status);
  }
  const auto entry =
      std::find_if(queue_.begin(), queue_.end(),
                   [&](const Entry& queued) { return queued.run == run; });
  if (entry == queue_.end()) return;
  const std::shared_ptr<Activity> activity = entry->activity;
  queue_.erase(entry);
  activity->Stop(status);
}

void Dispatcher::Watch(const std::string& run, uint64_t after_sequence,
                       std::shared_ptr<EventSink> sink) {
  const auto log = logs_.find(run);
  if (log != logs_.end()) {
    return log->second.Subscribe(after_sequence, std::move(sink));
  }
  InBackground(
      context_, [&store = context_.store, run] { return store.Load(run); },
      [this, run, after_sequence,
       sink](const absl::StatusOr<proto::RunDetails>& details) {
        EventLog from_records;
        if (details.ok()) {
          from_records = LogFromRecords(*details);
        } else {
          proto::RunEvent event;
          event.mutable_ended()->set_reason(
              absl::StrCat("the records of ", run,
                           " cannot be read: ", details.status().message()));
          from_records.Append(std::move(event), context_.clock.WallNow());
        }
        from_records.Subscribe(after_sequence, sink);
      });
}

// ---- workers

void Dispatcher::Join(Worker worker) {
  const std::string name = worker.identity.name;
  const uint64_t incarnation = worker.identity.incarnation;
  Log(LogLevel::kInfo, "worker_joined",
      {{"worker", name}, {"device", worker.identity.device}});
  const std::optional<Worker> replaced =
      context_.workers.Add(std::move(worker));
  if (replaced.has_value()) {
    const bool same_process = replaced->identity.incarnation == incarnation;
    if (!same_process) {
      replaced->link->Dismiss("replaced by a newer process of the same name");
    }
    LoseWorker(name, same_process ? "its stream broke; it came back"
                                  : "a newer process took its place");
  }
  const Worker& added = *context_.workers.Find(name);
  if (current_.activity != nullptr) current_.activity->OnWorkerJoined(added);
  const std::shared_ptr<Phase> phase = context_.phase;
  if (phase != nullptr) phase->OnWorkerJoined(added);
}

std::vector<WorkerView> Dispatcher::Workers() const {
  const absl::Time now = context_.clock.Now();
  std::vector<WorkerView> views;
  for (const auto& [name, worker] : context_.workers.workers()) {
    WorkerView view{.identity = worker.identity,
                    .connected = now - worker.joined,
                    .units_done = worker.units_done};
    if (context_.phase != nullptr) context_.phase->Describe(view);
    views.push_back(std::move(view));
  }
  return views;
}

void Dispatcher::Leave(const std::string& session, const std::string& why) {
  const std::optional<Worker> worker = context_.workers.Remove(session);
  if (!worker.has_value()) return;
  Log(LogLevel::kInfo, "worker_left",
      {{"worker", worker->identity.name}, {"reason", why}});
  LoseWorker(worker->identity.name, why);
}

void Dispatcher::LoseWorker(const std::string& worker, const std::string& why) {
  std::erase_if(context_.unsettled,
                [&](const auto& lease) { return lease.second == worker; });
  if (current_.activity != nullptr) {
    current_.activity->OnWorkerLost(worker, why);
  }
  const std::shared_ptr<Phase> phase = context_.phase;
  if (phase != nullptr) phase->OnWorkerLost(worker, why);
}

void Dispatcher::OnProgress(const std::string& session,
                            const UnitReport& report) {
  const Worker* worker = context_.workers.FindSession(session);
  const std::shared_ptr<Phase> phase = context_.phase;
  if (worker == nullptr || phase == nullptr) return;
  phase->OnProgress(worker->identity.name, report);
}

void Dispatcher::OnResult(const std::string& session, uint64_t lease,
                          const proto::UnitResult& result) {
  const Worker* worker = context_.workers.FindSession(session);
  if (worker == nullptr) return;
  const std::shared_ptr<Phase> phase = context_.phase;
  if (phase == nullptr) return Settle(worker->identity.name, lease);
  phase->OnResult(worker->identity.name, lease, result);
}

void Dispatcher::OnFailure(const std::string& session, uint64_t lease,
                           const absl::Status& status) {
  const Worker* worker = context_.workers.FindSession(session);
  if (worker == nullptr) return;
  const std::shared_ptr<Phase> phase = context_.phase;
  if (phase == nullptr) return Settle(worker->identity.name, lease);
  phase->OnFailure(worker->identity.name, lease, status);
}

void Dispatcher::Settle(const std::string& worker, uint64_t lease) {
  const auto owed = context_.unsettled.find(lease);
  if (owed == context_.unsettled.end() || owed->second != worker) return;
  context_.unsettled.erase(owed);
}

void Dispatcher::Shutdown() {
  stopping_ = true;
  for (const Entry& queued : std::exchange(queue_, {})) {
    queued.activity->Suspend(absl::UnavailableError(
        "the coordinator was stopped before this began; it will begin when the "
        "coordinator is started again"));
  }
  if (const std::shared_ptr<Activity> current = current_.activity) {
    current->Suspend(
        absl::UnavailableError("the coordinator was stopped; the run goes on "
                               "when it is started again"));
  }
}

}  // namespace meanfield::driver

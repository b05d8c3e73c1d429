#ifndef MEANFIELD_COORDINATOR_DRIVER_DISPATCHER_H_
#define MEANFIELD_COORDINATOR_DRIVER_DISPATCHER_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "coordinator/driver/activity.h"
#include "coordinator/driver/context.h"
#include "coordinator/driver/event_log.h"
#include "coordinator/driver/event_sink.h"
#include "coordinator/driver/phase.h"
#include "coordinator/driver/worker_view.h"
#include "proto/event.pb.h"
#include "proto/record.pb.h"

namespace meanfield::driver {

// The inside of the actor: one activity after another, the workers that come
// and go, and what both say to each other. Actor thread only.
class Dispatcher {
 public:
  explicit Dispatcher(Context& context) : context_(context) {}

  void AddRun(proto::RunRecord record, std::vector<std::string> warnings);
  // One that goes on: its log begins with what the records say.
  void AddAgain(const proto::RunDetails& run);
  void Add(std::shared_ptr<Activity> activity);
  // Nothing where the run has ended.
  // CANCELLED cancels; UNAVAILABLE interrupts (resumable).
  void Stop(const std::string& run, const absl::Status& status);
  void Watch(const std::string& run, uint64_t after_sequence,
             std::shared_ptr<EventSink> sink);

  void Join(Worker worker);
  std::vector<WorkerView> Workers() const;
  void Leave(const std::string& session, const std::string& why);
  void OnProgress(const std::string& session, const UnitReport& report);
  void OnResult(const std::string& session, uint64_t lease,
                const proto::UnitResult& result);
  void OnFailure(const std::string& session, uint64_t lease,
                 const absl::Status& status);

  // Suspends everything; nothing new starts. The workers are not dismissed:
  // they wait for a coordinator that is started again.
  void Shutdown();

 private:
  struct Entry {
    std::string run;  // empty: a prediction
    std::shared_ptr<Activity> activity;
  };
  void Add(Entry entry);
  void StartNext();
  void OnActivityDone();
  void ForgetOldLogs();
  void LoseWorker(const std::string& worker, const std::string& why);
  // A report that no phase waits for.
  void Settle(const std::string& worker, uint64_t lease);

  Context& context_;
  std::deque<Entry> queue_;
  Entry current_;  // null: none
  bool stopping_ = false;
  std::map<std::string, EventLog> logs_;
};

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_DISPATCHER_H_

#ifndef MEANFIELD_COORDINATOR_DRIVER_RUN_JOURNAL_H_
#define MEANFIELD_COORDINATOR_DRIVER_RUN_JOURNAL_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "coordinator/driver/context.h"
#include "coordinator/driver/event_log.h"
#include "coordinator/driver/worker_registry.h"
#include "proto/event.pb.h"
#include "proto/plan.pb.h"
#include "proto/record.pb.h"

namespace meanfield::driver {

// What a run leaves behind: its record, the statistics of its workers, its
// rejections and events. Actor thread only; writes happen in the background.
class RunJournal {
 public:
  // `on_error` is called on the actor when a write failed. The context and the
  // log outlive the journal.
  RunJournal(Context& context, EventLog& events, proto::RunRecord record,
             std::function<void(const absl::Status&)> on_error);

  const std::string& run() const { return record_.id(); }
  // Change it, then Save.
  proto::RunRecord& record() { return record_; }
  void Save();

  void Emit(proto::RunEvent event);
  void Info(std::string_view text) { Note("info", text); }
  void Warn(std::string_view text) { Note("warning", text); }

  // Of an earlier process; what was counted since comes on top.
  void AddWorkers(const std::vector<proto::WorkerRecord>& workers);
  void OnWorkerJoined(const Worker& worker);
  void OnWorkerLost(const std::string& worker, const std::string& why);
  // Steps, texts and tokens count for TRAIN units only.
  void CountUnit(const std::string& worker, proto::UnitKind kind,
                 const proto::TrainStatistics& statistics);
  void SaveWorkers();

  void Reject(const proto::UnitKey& unit, const std::string& worker,
              const absl::Status& status);

  // The record with this end and all workers, in one background step; `then`
  // gets the first error.
  void Close(proto::RunState state, const std::string& reason,
             std::function<void(const absl::Status&)> then);

 private:
  void Note(std::string_view level, std::string_view text);
  void Write(std::function<absl::Status()> write);
  proto::WorkerRecord& WorkerOf(const std::string& name);
  std::vector<proto::WorkerRecord> Workers() const;

  Context& context_;
  EventLog& events_;
  proto::RunRecord record_;
  const std::function<void(const absl::Status&)> on_error_;
  std::map<std::string, proto::WorkerRecord> workers_;
};

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_RUN_JOURNAL_H_

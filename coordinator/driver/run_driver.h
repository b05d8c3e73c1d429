#ifndef MEANFIELD_COORDINATOR_DRIVER_RUN_DRIVER_H_
#define MEANFIELD_COORDINATOR_DRIVER_RUN_DRIVER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/blob/blob_store.h"
#include "coordinator/driver/activity.h"
#include "coordinator/driver/context.h"
#include "coordinator/driver/evaluation.h"
#include "coordinator/driver/first_model.h"
#include "coordinator/driver/prepared_run.h"
#include "coordinator/driver/round_training.h"
#include "coordinator/driver/run_floor.h"
#include "coordinator/driver/run_journal.h"
#include "coordinator/driver/standing.h"
#include "coordinator/schedule/schedule.h"
#include "proto/record.pb.h"

namespace meanfield::driver {

// The life of one run:
//
//   prepare -> first model -> round 1 … R -> test of the best model -> end
//   round: plan -> train -> commit model -> evaluate -> verdict
//
// Each step starts work in the background or a Phase and goes on when it comes
// back; End may cut in anywhere. A run that was cut off goes on from its
// records at the step that they lack. Actor thread only.
class RunDriver : public Activity,
                  public std::enable_shared_from_this<RunDriver> {
 public:
  // The record is QUEUED and stored; of a run that goes on, it has more.
  RunDriver(Context& context, EventLog& events, proto::RunRecord record,
            std::vector<std::string> warnings);

  void Start(std::function<void()> done) override;
  // CANCELLED cancels; UNAVAILABLE interrupts (resumable).
  void Stop(const absl::Status& reason) override;
  void Suspend(const absl::Status& reason) override;
  void OnWorkerJoined(const Worker& worker) override;
  void OnWorkerLost(const std::string& worker, const std::string& why) override;

 private:
  struct Opening {
    std::shared_ptr<const PreparedRun> prepared;
    Standing standing;
  };
  static absl::StatusOr<Opening> Open(const proto::RunRecord& record,
                                      store::RunStore& store);
  void OnPrepared(absl::StatusOr<Opening> opening);
  void OnFirstModel(absl::StatusOr<FirstModel> model);
  void GoOn(Standing standing);

  // ---- run_driver_rounds.cc
  void StartRound();
  void OnProgress();
  void OnTrained(absl::StatusOr<proto::RoundRecord> record);
  void EvaluateRound();
  void OnEvaluated(absl::StatusOr<Evaluation> evaluation);
  void Decide(std::optional<Evaluation> evaluation);
  void OnVerdict(absl::StatusOr<proto::Verdict> verdict);
  void FinishRound(const std::optional<proto::Verdict>& verdict);
  void NoteIdleShare();
  void EmitRound(const std::optional<proto::Verdict>& verdict);
  void RemoveSuperseded();

  // ---- run_driver.cc
  void StartTest();
  void OnTested(absl::StatusOr<Evaluation> evaluation);
  void OnTestStored(absl::StatusOr<proto::EvaluationRecord> test);

  // Once; an error names what ended the run. Suspended: only for this process.
  void End(const absl::Status& status, bool suspended = false);
  void OnClosed(const absl::Status& status, const std::string& reason,
                const absl::Status& closed);

  bool IsEligible(const Worker& worker);
  // A continuation that does nothing once the run has ended.
  template <typename T>
  std::function<void(T)> Then(void (RunDriver::*method)(T));

  const proto::JobSpec& job() const { return floor_.prepared->job; }
  absl::Time Now() { return context_.clock.Now(); }

  Context& context_;
  RunJournal journal_;
  RunFloor floor_;
  const std::vector<std::string> warnings_;  // of the job
  std::function<void()> done_;               // null until started
  bool ended_ = false;

  std::vector<TensorSpec> specs_;
  schedule::Past past_;
  Blob model_;                // the global one
  std::optional<Blob> best_;  // absent: no evaluation yet
  std::optional<Blob> server_state_;
  std::vector<Blob> kept_;                     // models and states in the store
  std::optional<proto::RoundPlan> open_plan_;  // of the next round
  std::shared_ptr<RoundTraining> training_;
  proto::RoundRecord round_;  // committed last
  std::string stop_reason_;
  std::set<std::string> strangers_;  // of another numerics class, noted
  size_t workers_noted_ = 0;         // by NoteIdleShare

  absl::Time rounds_began_at_;
  uint32_t rounds_before_ = 0;  // of earlier processes
  absl::Time evaluation_began_at_;
  absl::Time progress_shown_at_ = absl::InfinitePast();
};

template <typename T>
std::function<void(T)> RunDriver::Then(void (RunDriver::*method)(T)) {
  return [self = shared_from_this(), method](T value) {
    if (!self->ended_) (self.get()->*method)(std::move(value));
  };
}

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_RUN_DRIVER_H_

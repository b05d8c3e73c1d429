#ifndef MEANFIELD_COORDINATOR_DRIVER_ROUND_TRAINING_H_
#define MEANFIELD_COORDINATOR_DRIVER_ROUND_TRAINING_H_

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/blob/blob_store.h"
#include "common/tensor/tensor_spec.h"
#include "coordinator/driver/phase.h"
#include "coordinator/driver/run_floor.h"
#include "coordinator/driver/update_fold.h"
#include "coordinator/driver/update_spool.h"
#include "proto/plan.pb.h"
#include "proto/record.pb.h"

namespace meanfield::driver {

// One round from plan to committed model: commit the plan, train every shard,
// fold the updates as they come, step, commit. Updates that an earlier process
// had folded before it died are folded again. Actor thread; owned by shared
// pointers, as its work comes back from the background.
class RoundTraining : public std::enable_shared_from_this<RoundTraining> {
 public:
  struct Options {
    proto::RoundPlan plan;
    Blob model;                        // what is trained from
    std::vector<TensorSpec> specs;     // its tensors with roles
    std::optional<Blob> server_state;  // of the round before
    std::function<void()> progressed;  // a worker has reported
    // Once, on the actor, unless the run ends before.
    std::function<void(absl::StatusOr<proto::RoundRecord>)> done;
  };
  RoundTraining(RunFloor& floor, Options options);
  void Start();

  const proto::RoundPlan& plan() const { return options_.plan; }
  // By position in the plan's cohort; once the first worker has reported.
  const std::vector<UnitProgress>& progress() const;
  // The run has ended: nothing that comes back matters.
  void Abandon() { abandoned_ = true; }

 private:
  // In the background: the fold with what an earlier process had folded.
  struct Begin;
  static absl::StatusOr<Begin> BeginFold(Context& context,
                                         const std::string& run,
                                         const Options& options);
  void OnBegun(absl::StatusOr<Begin> begin);
  void StartPhase(std::vector<size_t> missing);
  void OnTrained(const absl::Status& status);
  void OnCommitted(absl::StatusOr<proto::RoundRecord> record);
  proto::RoundRecord Summary() const;

  RunFloor& floor_;
  Options options_;
  bool abandoned_ = false;
  absl::Time planned_at_;
  absl::Time leased_at_;
  // Both are used in the background only.
  std::shared_ptr<UpdateFold> fold_;
  std::shared_ptr<UpdateSpool> spool_;
  std::shared_ptr<Phase> phase_;  // null: every update was there already
  std::vector<proto::TrainStatistics> statistics_;
};

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_ROUND_TRAINING_H_

#ifndef MEANFIELD_COORDINATOR_DRIVER_UPDATE_SPOOL_H_
#define MEANFIELD_COORDINATOR_DRIVER_UPDATE_SPOOL_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coordinator/store/run_store.h"
#include "proto/plan.pb.h"
#include "proto/record.pb.h"

namespace meanfield::driver {

// The updates of a run's open round, kept until the round commits, so that a
// restarted coordinator folds them again instead of having them trained again.
// Not synced: what a power loss took is trained again, to the same bits.
// Background thread only.
class UpdateSpool {
 public:
  // The folder is made.
  static absl::StatusOr<UpdateSpool> Open(store::RunStore& store,
                                          const std::string& run);

  // Moves a sealed output in; its path from now on.
  absl::StatusOr<std::string> Take(const std::string& path, uint32_t round,
                                   const proto::ShardPlan& shard) const;
  // The update taken in counts: Find gives it from now on.
  absl::Status Accept(const proto::SpooledUpdate& update) const;
  // The update taken in does not count.
  void Drop(uint32_t round, const proto::ShardPlan& shard) const;

  // An accepted update of an earlier process, bytes checked; absent where there
  // is none, or it is damaged (and removed).
  struct Found {
    std::string path;
    proto::SpooledUpdate update;
  };
  std::optional<Found> Find(uint32_t round,
                            const proto::ShardPlan& shard) const;

  // Removes everything but the updates of the open round.
  void KeepOnly(uint32_t open_round) const;

 private:
  explicit UpdateSpool(std::string folder) : folder_(std::move(folder)) {}
  std::string PathOf(uint32_t round, const std::string& task,
                     uint32_t shard) const;

  std::string folder_;
};

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_UPDATE_SPOOL_H_

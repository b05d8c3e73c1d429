#ifndef MEANFIELD_COORDINATOR_DRIVER_PREPARED_RUN_H_
#define MEANFIELD_COORDINATOR_DRIVER_PREPARED_RUN_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/blob/blob_store.h"
#include "coordinator/corpus/corpus.h"
#include "coordinator/schedule/schedule.h"
#include "coordinator/store/run_store.h"
#include "proto/job.pb.h"
#include "proto/record.pb.h"

namespace meanfield::driver {

// A run's inputs, fixed before its first unit: the encoded corpus and the texts
// that every unit carries. Immutable; any thread.
struct PreparedRun {
  std::string run;
  proto::JobSpec job;
  corpus::PreparedTask task;
  Blob model_config;
  Blob training_config;
  Blob dictionaries;
  Blob manifest;
  std::string incoming;  // folder where outputs arrive
  std::vector<schedule::ShardSize> shard_sizes;

  const std::string& task_name() const { return job.task(0).name(); }
};

// Background thread. INVALID_ARGUMENT where the corpus is at fault.
absl::StatusOr<std::shared_ptr<const PreparedRun>> PrepareRun(
    const proto::RunRecord& record, store::RunStore& store);

// FAILED_PRECONDITION where a run that goes on was begun with another corpus.
absl::Status CheckSameCorpus(const proto::RunRecord& record,
                             const PreparedRun& prepared);

// Shards and blobs, as the run's record lists them.
void Describe(const PreparedRun& prepared, proto::RunRecord& record);

// The folder where outputs of a run's units arrive; exists.
absl::StatusOr<std::string> MakeIncoming(store::RunStore& store,
                                         const std::string& run);
// With all that is left in it.
void RemoveIncoming(store::RunStore& store, const std::string& run);
// The updates of an open round, see UpdateSpool.
void RemoveUpdates(store::RunStore& store, const std::string& run);

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_PREPARED_RUN_H_

#ifndef MEANFIELD_COORDINATOR_STORE_RUN_STORE_H_
#define MEANFIELD_COORDINATOR_STORE_RUN_STORE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/blob/blob_store.h"
#include "proto/event.pb.h"
#include "proto/plan.pb.h"
#include "proto/record.pb.h"

namespace meanfield::store {

struct StoreOptions {
  // Also on file systems where locks and fsync may not hold (NFS, FUSE, …).
  bool allow_network_file_system = false;
};

// The state directory: meanfield.sqlite (WAL), objects/, runs/<id>/, lock. The
// only place that knows the layout. Thread-safe. Every write is one
// transaction and durable when the call returns; a model's blob is durable
// before the record that names it. Errors name file and what to do (disk full,
// read-only, damaged, a newer schema, another coordinator's lock).
class RunStore {
 public:
  // Creates the folder. One RunStore per folder at a time, in any process.
  static absl::StatusOr<std::unique_ptr<RunStore>> Open(
      const std::string& state_dir, const StoreOptions& options = {});
  ~RunStore();

  BlobStore& blobs();
  const BlobStore& blobs() const;
  // Spool of a run: updates on their way in. Exists. INVALID_ARGUMENT: not a
  // folder's name.
  absl::StatusOr<std::string> RunFolder(const std::string& run) const;

  // Inserts or replaces. All that follows is NOT_FOUND without it.
  absl::Status PutRun(const proto::RunRecord& run);
  absl::StatusOr<proto::RunRecord> GetRun(const std::string& run) const;
  // Newest first.
  absl::StatusOr<std::vector<proto::RunRecord>> ListRuns() const;

  // In this order within a round, and a plan after the model of the round
  // before; otherwise FAILED_PRECONDITION. A second one of the same round is
  // ALREADY_EXISTS unless it is equal; times that were measured may differ,
  // then the newer ones are kept.
  absl::Status CommitPlan(const std::string& run, const proto::RoundPlan& plan);
  // The record holds the committed plan; the model is in blobs().
  absl::Status CommitModel(const std::string& run,
                           const proto::RoundRecord& record);
  absl::Status CommitVerdict(const std::string& run,
                             const proto::Verdict& verdict);
  // Inserts or replaces by split and model.
  absl::Status PutTest(const std::string& run,
                       const proto::EvaluationRecord& test);
  // Inserts or replaces by id.
  absl::Status PutWorker(const std::string& run,
                         const proto::WorkerRecord& worker);
  absl::Status AddRejection(const std::string& run,
                            const proto::Rejection& rejection);

  // Everything recorded of a run, in order, as of one moment.
  absl::StatusOr<proto::RunDetails> Load(const std::string& run) const;
  // A plan that was committed, to go on from.
  absl::StatusOr<std::optional<proto::RoundPlan>> GetPlan(
      const std::string& run, uint32_t round) const;

 private:
  struct State;
  explicit RunStore(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace meanfield::store

#endif  // MEANFIELD_COORDINATOR_STORE_RUN_STORE_H_

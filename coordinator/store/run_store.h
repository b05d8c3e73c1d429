#ifndef MEANFIELD_COORDINATOR_STORE_RUN_STORE_H_
#define MEANFIELD_COORDINATOR_STORE_RUN_STORE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/blob/blob_store.h"
#include "proto/event.pb.h"
#include "proto/plan.pb.h"
#include "proto/record.pb.h"

namespace meanfield::store {

// The state directory: meanfield.sqlite (WAL), objects/, runs/<id>/, lock. The
// only place that knows the layout. Thread-safe. Every write is one
// transaction and durable when the call returns; a model's blob is durable
// before the record that names it. Errors name file and what to do (disk full,
// read-only, a newer schema, another coordinator's lock).
class RunStore {
 public:
  static absl::StatusOr<std::unique_ptr<RunStore>> Open(
      const std::string& state_dir);
  ~RunStore();

  BlobStore& blobs();
  // Spool of a run: updates on their way in. Exists.
  absl::StatusOr<std::string> RunFolder(const std::string& run);

  absl::Status PutRun(const proto::RunRecord& run);  // insert or replace
  absl::StatusOr<proto::RunRecord> GetRun(const std::string& run) const;
  // Newest first.
  absl::StatusOr<std::vector<proto::RunRecord>> ListRuns() const;

  // In this order within a round; a second plan, model or verdict of the same
  // round is ALREADY_EXISTS unless the bytes are equal.
  absl::Status CommitPlan(const std::string& run, const proto::RoundPlan& plan);
  absl::Status CommitModel(const std::string& run,
                           const proto::RoundRecord& record);
  absl::Status CommitVerdict(const std::string& run,
                             const proto::Verdict& verdict);
  absl::Status PutTest(const std::string& run,
                       const proto::EvaluationRecord& test);
  absl::Status PutWorker(const std::string& run,
                         const proto::WorkerRecord& worker);
  absl::Status AddRejection(const std::string& run,
                            const proto::Rejection& rejection);

  // Everything recorded of a run.
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

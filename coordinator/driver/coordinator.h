#ifndef MEANFIELD_COORDINATOR_DRIVER_COORDINATOR_H_
#define MEANFIELD_COORDINATOR_DRIVER_COORDINATOR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/time/clock.h"
#include "coordinator/aggregate/exact_mean.h"
#include "coordinator/driver/executor.h"
#include "coordinator/driver/predict_request.h"
#include "coordinator/driver/runs.h"
#include "coordinator/driver/worker_link.h"
#include "coordinator/driver/worker_sessions.h"
#include "coordinator/job/job.h"
#include "coordinator/round/round.h"
#include "coordinator/store/run_store.h"
#include "proto/event.pb.h"
#include "proto/plan.pb.h"

namespace meanfield::driver {

// The heart of the coordinator: owns runs and workers on one thread of its own
// (the actor), turns effects of the state machines into actions and results
// into events. Runs go one after another, in order of submission. Every public
// method is thread-safe.
class Coordinator : public Runs, public WorkerSessions {
 public:
  struct Options {
    std::string state_dir;
    Clock* clock = nullptr;  // outlives the coordinator
    round::Policy policy;
    aggregate::FoldDevice fold_device = aggregate::FoldDevice::kCpu;
    // Where submitted jobs may name corpora; empty: anywhere (in-process use).
    std::vector<std::string> corpus_roots;
    // Where it runs, for tests; outlive the coordinator. Null: threads of its
    // own. Predict waits, so it needs real ones.
    Executor* actor = nullptr;
    Executor* background = nullptr;
  };
  // Goes on with the runs that an earlier coordinator left open.
  static absl::StatusOr<std::unique_ptr<Coordinator>> Create(Options options);
  // Suspends the open runs, joins its threads.
  ~Coordinator() override;

  // ---- runs
  absl::StatusOr<std::string> Submit(const job::JobSource& source) override;
  absl::Status Cancel(const std::string& run,
                      const std::string& reason) override;
  // As Cancel, but the run ends STARVED: resumable, for this reason.
  absl::Status Interrupt(const std::string& run, const std::string& reason);
  // Goes on with an ended run; see ReopenRun. `job` may be null.
  absl::Status Resume(const std::string& run, const proto::JobSpec* job);
  absl::StatusOr<std::shared_ptr<Subscription>> Watch(
      const std::string& run, uint64_t after_sequence,
      std::function<void(const proto::RunEvent&)> sink) override;
  store::RunStore& store() override;
  std::vector<WorkerView> Workers() override;

  // Runs PREDICT units (one per data blob) on the connected workers, after the
  // runs submitted before, and waits. Paths of their outputs, in order, which
  // stay until the coordinator ends; UNAVAILABLE without a worker.
  using PredictRequest = driver::PredictRequest;
  absl::StatusOr<std::vector<std::string>> Predict(
      const PredictRequest& request);

  // ---- workers (called by the service)
  absl::StatusOr<std::string> Join(const WorkerIdentity& worker,
                                   std::shared_ptr<WorkerLink> link) override;
  void Leave(const std::string& session, const absl::Status& why) override;
  void OnProgress(const std::string& session,
                  const Progress& progress) override;
  void OnResult(const std::string& session, uint64_t lease,
                const proto::UnitResult& result) override;
  void OnFailure(const std::string& session, uint64_t lease,
                 const absl::Status& status) override;
  absl::StatusOr<std::string> ReadableBlob(const std::string& session,
                                           const std::string& blob_id) override;
  absl::StatusOr<std::string> UploadPath(const std::string& session,
                                         uint64_t lease,
                                         const proto::BlobRef& output) override;
  absl::Status SealUpload(const std::string& session, uint64_t lease,
                          const proto::BlobRef& output) override;

 private:
  struct State;
  explicit Coordinator(std::unique_ptr<State> state);
  absl::Status Stop(const std::string& run, const absl::Status& status);
  std::unique_ptr<State> state_;
};

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_COORDINATOR_H_

#ifndef MEANFIELD_COORDINATOR_DRIVER_COORDINATOR_H_
#define MEANFIELD_COORDINATOR_DRIVER_COORDINATOR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "common/blob/blob_store.h"
#include "common/time/clock.h"
#include "coordinator/aggregate/exact_mean.h"
#include "coordinator/driver/worker_link.h"
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
class Coordinator {
 public:
  struct Options {
    std::string state_dir;
    Clock* clock = nullptr;  // outlives the coordinator
    round::Policy policy;
    aggregate::FoldDevice fold_device = aggregate::FoldDevice::kCpu;
    // Where submitted jobs may name corpora; empty: anywhere (in-process use).
    std::vector<std::string> corpus_roots;
  };
  static absl::StatusOr<std::unique_ptr<Coordinator>> Create(Options options);
  // Dismisses the workers, ends the open run as resumable, joins its threads.
  ~Coordinator();

  // ---- runs
  // Validates (INVALID_ARGUMENT holds every fault), records, queues; the run's
  // id.
  absl::StatusOr<std::string> Submit(const job::JobSource& source);
  absl::Status Cancel(const std::string& run, const std::string& reason);

  // Calls `sink` with the run's events after `after_sequence`, then live ones,
  // on the actor's thread (must not block); ends with RunEvent::Ended. The
  // returned object ends the subscription when destroyed.
  class Subscription;
  absl::StatusOr<std::shared_ptr<Subscription>> Watch(
      const std::string& run, uint64_t after_sequence,
      std::function<void(const proto::RunEvent&)> sink);

  store::RunStore& store();

  // Runs PREDICT units (one per data blob) on the connected workers and waits.
  // Paths of their outputs, in order; UNAVAILABLE without a worker.
  struct PredictRequest {
    Blob model_config;
    Blob training_config;
    Blob model;
    std::vector<Blob> data;
  };
  absl::StatusOr<std::vector<std::string>> Predict(
      const PredictRequest& request);

  // ---- workers (called by the service)
  // A session token: 128 random bits, hex.
  absl::StatusOr<std::string> Join(const WorkerIdentity& worker,
                                   std::shared_ptr<WorkerLink> link);
  // The stream ended. Leases of the session are given back.
  void Leave(const std::string& session, const absl::Status& why);

  struct Progress {
    uint64_t lease = 0;
    uint64_t steps_done = 0;
    uint64_t tokens_done = 0;
    double loss_sum = 0;
    uint64_t loss_count = 0;
  };
  void OnProgress(const std::string& session, const Progress& progress);
  // The output was sealed before (SealUpload).
  void OnResult(const std::string& session, uint64_t lease,
                const proto::UnitResult& result);
  void OnFailure(const std::string& session, uint64_t lease,
                 const absl::Status& status);

  // Path of a blob that a lease of this session names; PERMISSION_DENIED
  // otherwise.
  absl::StatusOr<std::string> ReadableBlob(const std::string& session,
                                           const std::string& blob_id);
  // Where the service collects the output of a lease: a file below the run's
  // folder. NOT_FOUND: no such lease (any more).
  absl::StatusOr<std::string> UploadPath(const std::string& session,
                                         uint64_t lease,
                                         const proto::BlobRef& output);
  // All bytes are in: size and hash are checked, the file becomes the
  // coordinator's own. DATA_LOSS where they differ (the file is deleted).
  absl::Status SealUpload(const std::string& session, uint64_t lease,
                          const proto::BlobRef& output);

 private:
  struct State;
  explicit Coordinator(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_COORDINATOR_H_

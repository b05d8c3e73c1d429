#ifndef MEANFIELD_WORKER_RUNTIME_UNIT_LOOP_H_
#define MEANFIELD_WORKER_RUNTIME_UNIT_LOOP_H_

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "proto/coordinator.pb.h"
#include "worker/runtime/blob_cache.h"
#include "worker/runtime/connection.h"
#include "worker/runtime/lease_desk.h"
#include "worker/runtime/unit_runner.h"
#include "worker/runtime/work_folder.h"
#include "worker/trainer/local_trainer.h"

namespace meanfield {

// What the main thread does: takes leases from the desk, computes their units,
// uploads the outputs and answers. Everything passed in outlives it.
class UnitLoop {
 public:
  UnitLoop(LocalTrainer& trainer, const WorkFolder& folder, BlobCache& cache,
           Connection& connection, LeaseDesk& desk);

  // Until the worker ends; how.
  absl::Status Run();

 private:
  struct Finished {
    proto::Unit unit;
    proto::UnitResult result;
    std::string path;
  };

  void Carry(const proto::Lease& lease, std::stop_token stop);
  absl::Status Compute(const proto::Unit& unit, std::stop_token stop);
  void Answer(const LeaseDesk::Standing& standing, absl::Status status,
              std::stop_token stop);
  // On a new stream: the last answer may have been lost with the old one.
  void OfferAgain();
  void DropFinished();

  const WorkFolder& folder_;
  BlobCache& cache_;
  Connection& connection_;
  LeaseDesk& desk_;
  UnitRunner runner_;
  uint64_t outputs_ = 0;
  // The last one, kept because its unit may come again.
  std::optional<Finished> finished_;
  // The last answer, until another lease shows that it arrived. Where it is
  // Done, finished_ is its result.
  std::optional<proto::WorkerMessage> unheard_;
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_RUNTIME_UNIT_LOOP_H_

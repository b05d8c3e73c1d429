#ifndef MEANFIELD_WORKER_RUNTIME_UNIT_RUNNER_H_
#define MEANFIELD_WORKER_RUNTIME_UNIT_RUNNER_H_

#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/tensor/safetensors.h"
#include "common/time/clock.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "proto/plan.pb.h"
#include "worker/runtime/blob_cache.h"
#include "worker/trainer/local_trainer.h"

namespace meanfield {

// Carries out one unit: fetches its blobs, opens and checks them, calls the
// trainer, and describes the file that came of it. Errors name the unit; those
// of the trainer keep their code.
class UnitRunner {
 public:
  // All outlive the runner.
  UnitRunner(LocalTrainer& trainer, BlobCache& cache, Clock& clock)
      : trainer_(trainer), cache_(cache), clock_(clock) {}

  absl::StatusOr<proto::UnitResult> Run(const proto::Unit& unit,
                                        const std::string& output_path,
                                        std::stop_token stop,
                                        ProgressFn progress);

 private:
  struct Inputs;
  absl::StatusOr<Inputs> Fetch(const proto::Unit& unit, std::stop_token stop);
  absl::StatusOr<std::vector<SafetensorsFile>> FetchTensors(
      const google::protobuf::RepeatedPtrField<proto::BlobRef>& blobs,
      std::stop_token stop);
  absl::Status Execute(const proto::Unit& unit, const Inputs& inputs,
                       const std::string& output_path, std::stop_token stop,
                       ProgressFn progress, proto::UnitResult& result);
  absl::Status Train(const proto::Unit& unit, const Inputs& inputs,
                     const std::string& output_path, std::stop_token stop,
                     ProgressFn progress, proto::TrainStatistics& statistics);
  absl::Status Evaluate(const proto::Unit& unit, const Inputs& inputs,
                        const std::string& output_path, std::stop_token stop,
                        ProgressFn progress,
                        proto::TrainStatistics& statistics);

  LocalTrainer& trainer_;
  BlobCache& cache_;
  Clock& clock_;
};

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_RUNTIME_UNIT_RUNNER_H_

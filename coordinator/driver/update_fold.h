#ifndef MEANFIELD_COORDINATOR_DRIVER_UPDATE_FOLD_H_
#define MEANFIELD_COORDINATOR_DRIVER_UPDATE_FOLD_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/tensor/safetensors.h"
#include "common/tensor/tensor_spec.h"
#include "common/time/clock.h"
#include "coordinator/aggregate/exact_mean.h"
#include "proto/plan.pb.h"

namespace meanfield::driver {

// The gate of TRAIN results and the running mean behind it. Background thread
// only.
class UpdateFold {
 public:
  static absl::StatusOr<std::unique_ptr<UpdateFold>> Create(
      const std::string& base_path, const std::vector<TensorSpec>& specs,
      uint64_t total_weight, aggregate::FoldDevice device, Clock& clock);

  // INVALID_ARGUMENT "<reason>: …" where the update does not qualify; the mean
  // is then what it was before. The file stays until Finish.
  absl::Status Add(const std::string& path, const proto::ShardPlan& shard,
                   const proto::UnitResult& result);
  absl::Status Finish(const std::string& mean_path);

  const SafetensorsFile& base() const { return *base_; }
  absl::Duration time_spent() const { return time_spent_; }

 private:
  UpdateFold(std::unique_ptr<SafetensorsFile> base, aggregate::ExactMean mean,
             Clock& clock);

  std::unique_ptr<SafetensorsFile> base_;
  aggregate::ExactMean mean_;
  Clock& clock_;
  std::string last_accepted_;  // path; kept until the round commits
  absl::Duration time_spent_;
};

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_UPDATE_FOLD_H_

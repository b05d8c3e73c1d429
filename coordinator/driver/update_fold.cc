#include "coordinator/driver/update_fold.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"

namespace meanfield::driver {
namespace {

// What a worker says of its steps must fit what it was told.
absl::Status CheckStatistics(const proto::ShardPlan& shard,
                             const proto::TrainStatistics& statistics) {
  if (statistics.steps() != shard.train().num_steps()) {
    return absl::InvalidArgumentError(
        absl::StrCat("steps: ", statistics.steps(), " done, ",
                     shard.train().num_steps(), " planned"));
  }
  if (!std::isfinite(statistics.loss_sum())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "nan: the training loss of steps ", shard.train().first_step(), " to ",
        shard.train().first_step() + shard.train().num_steps(), " is ",
        statistics.loss_sum()));
  }
  return absl::OkStatus();
}

absl::StatusOr<SafetensorsFile> OpenUpdate(const std::string& path) {
  auto file = SafetensorsFile::Open(path);
  if (absl::IsInvalidArgument(file.status())) {
    return absl::InvalidArgumentError(
        absl::StrCat("malformed: ", file.status().message()));
  }
  return file;
}

}  // namespace

UpdateFold::UpdateFold(std::unique_ptr<SafetensorsFile> base,
                       aggregate::ExactMean mean, Clock& clock)
    : base_(std::move(base)), mean_(std::move(mean)), clock_(clock) {}

absl::StatusOr<std::unique_ptr<UpdateFold>> UpdateFold::Create(
    const std::string& base_path, const std::vector<TensorSpec>& specs,
    uint64_t total_weight, aggregate::FoldDevice device, Clock& clock) {
  MEANFIELD_ASSIGN_OR_RETURN(SafetensorsFile file,
                             SafetensorsFile::Open(base_path));
  auto base = std::make_unique<SafetensorsFile>(std::move(file));
  MEANFIELD_ASSIGN_OR_RETURN(
      aggregate::ExactMean mean,
      aggregate::ExactMean::Create(*base, specs, total_weight, device));
  return std::unique_ptr<UpdateFold>(
      new UpdateFold(std::move(base), std::move(mean), clock));
}

absl::Status UpdateFold::Add(const std::string& path,
                             const proto::ShardPlan& shard,
                             const proto::UnitResult& result) {
  MEANFIELD_RETURN_IF_ERROR(CheckStatistics(shard, result.statistics()));
  MEANFIELD_ASSIGN_OR_RETURN(const SafetensorsFile update, OpenUpdate(path));
  const absl::Time start = clock_.Now();
  const absl::Status status = mean_.Add(update, shard.weight());
  time_spent_ += clock_.Now() - start;
  if (status.ok()) last_accepted_ = path;
  return status;
}

absl::Status UpdateFold::Finish(const std::string& mean_path) {
  const absl::Time start = clock_.Now();
  // The mean of a single update is its bytes, which only its file holds.
  std::optional<SafetensorsFile> only_update;
  if (mean_.accepted_updates() == 1) {
    MEANFIELD_ASSIGN_OR_RETURN(only_update,
                               SafetensorsFile::Open(last_accepted_));
  }
  const absl::Status status =
      mean_.Finish(mean_path, only_update ? &*only_update : nullptr);
  time_spent_ += clock_.Now() - start;
  return status;
}

}  // namespace meanfield::driver

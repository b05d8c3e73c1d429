#include "coordinator/driver/round_commit.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/convert/convert.h"
#include "common/tensor/safetensors.h"
#include "coordinator/driver/upload_file.h"
#include "coordinator/optimize/server_step.h"

namespace meanfield::driver {
namespace {

// Files of a step in the making; what was not adopted is removed.
struct Scratch {
  std::string mean;
  std::string model;
  std::string state;
  ~Scratch() {
    RemoveFile(mean);
    RemoveFile(model);
    RemoveFile(state);
  }
};

absl::Status TakeStep(const RoundCommit& commit, const UpdateFold& fold,
                      const Scratch& scratch) {
  MEANFIELD_ASSIGN_OR_RETURN(const SafetensorsFile mean,
                             SafetensorsFile::Open(scratch.mean));
  std::optional<SafetensorsFile> state;
  if (commit.server_state.has_value()) {
    MEANFIELD_ASSIGN_OR_RETURN(const std::string path,
                               commit.store.blobs().Path(*commit.server_state));
    MEANFIELD_ASSIGN_OR_RETURN(state, SafetensorsFile::Open(path));
  }
  return optimize::TakeServerStep(
      commit.optimizer, {.base = &fold.base(),
                         .mean = &mean,
                         .state = state.has_value() ? &*state : nullptr,
                         .specs = commit.specs,
                         .model_path = scratch.model,
                         .state_path = scratch.state});
}

bool Keeps(const proto::RunRecord& run, const Blob& model) {
  return run.best_model().id() == model.id || run.last_model().id() == model.id;
}

}  // namespace

absl::StatusOr<proto::RoundRecord> CommitRound(RoundCommit commit,
                                               UpdateFold& fold) {
  BlobStore& blobs = commit.store.blobs();
  const Scratch scratch{.mean = absl::StrCat(commit.scratch_folder, "/mean"),
                        .model = blobs.NewTemporary(),
                        .state = blobs.NewTemporary()};
  MEANFIELD_RETURN_IF_ERROR(fold.Finish(scratch.mean));
  const absl::Time folded_at = commit.clock.Now();
  MEANFIELD_RETURN_IF_ERROR(TakeStep(commit, fold, scratch));
  proto::RoundRecord& record = commit.record;
  if (optimize::HasState(commit.optimizer)) {
    MEANFIELD_ASSIGN_OR_RETURN(
        const Blob state, blobs.Adopt(scratch.state, Durability::kDurable));
    *record.mutable_server_state() = ToProto(state);
  }
  MEANFIELD_ASSIGN_OR_RETURN(const Blob model,
                             blobs.Adopt(scratch.model, Durability::kDurable));
  *record.mutable_model() = ToProto(model);
  const absl::Time now = commit.clock.Now();
  record.set_fold_s(absl::ToDoubleSeconds(fold.time_spent()));
  record.set_commit_s(absl::ToDoubleSeconds(now - folded_at));
  record.set_wall_s(absl::ToDoubleSeconds(now - commit.planned_at));
  MEANFIELD_RETURN_IF_ERROR(commit.store.CommitModel(commit.run, record));
  return record;
}

absl::Status RemoveModel(store::RunStore& store, const std::string& run,
                         const Blob& model) {
  MEANFIELD_ASSIGN_OR_RETURN(const auto runs, store.ListRuns());
  for (const proto::RunRecord& other : runs) {
    if (other.id() != run && Keeps(other, model)) return absl::OkStatus();
  }
  const absl::Status status = store.blobs().Remove(model);
  return absl::IsNotFound(status) ? absl::OkStatus() : status;
}

}  // namespace meanfield::driver

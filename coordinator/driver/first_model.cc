#include "coordinator/driver/first_model.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/convert/convert.h"
#include "common/tensor/safetensors.h"

namespace meanfield::driver {
namespace {

template <typename T>
absl::Status CheckFinite(const TensorView& tensor) {
  const std::span<const T> values = tensor.As<T>();
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "nan: element ", i, " of ", tensor.spec.name, " is ", values[i]));
  }
  return absl::OkStatus();
}

absl::Status CheckTensor(const SafetensorsFile& file, const TensorSpec& spec) {
  const TensorView* tensor = file.Find(spec.name);
  if (tensor == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("missing: the model has no tensor ", DebugString(spec)));
  }
  if (tensor->spec.dtype != spec.dtype || tensor->spec.shape != spec.shape) {
    return absl::InvalidArgumentError(
        absl::StrCat("shape: the model holds ", DebugString(tensor->spec),
                     ", reported was ", DebugString(spec)));
  }
  if (spec.dtype == DType::kF32) return CheckFinite<float>(*tensor);
  if (spec.dtype == DType::kF64) return CheckFinite<double>(*tensor);
  return absl::OkStatus();
}

// The model's frozen tensors must be those of the run's corpus.
absl::Status CheckFrozen(const std::vector<corpus::TensorFile>& frozen,
                         const std::vector<TensorSpec>& specs) {
  size_t found = 0;
  for (const TensorSpec& spec : specs) {
    if (spec.role != TensorRole::kFrozen) continue;
    const bool known =
        std::any_of(frozen.begin(), frozen.end(), [&](const auto& tensor) {
          return tensor.spec.name == spec.name &&
                 tensor.spec.dtype == spec.dtype &&
                 tensor.spec.shape == spec.shape;
        });
    if (!known) {
      return absl::InvalidArgumentError(
          absl::StrCat("shape: the worker's model has a frozen tensor ",
                       DebugString(spec), ", which the corpus does not"));
    }
    ++found;
  }
  if (found == frozen.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("missing: the worker's model has ", found,
                   " frozen tensors, the corpus ", frozen.size()));
}

absl::Status TakeIn(const Phase::Arrival& arrival, const PreparedRun& run,
                    BlobStore& blobs, FirstModel& model) {
  MEANFIELD_ASSIGN_OR_RETURN(model.specs, FromProto(arrival.result.tensors()));
  MEANFIELD_RETURN_IF_ERROR(CheckFrozen(run.task.frozen, model.specs));
  MEANFIELD_RETURN_IF_ERROR(CheckModelFile(arrival.path, model.specs));
  MEANFIELD_ASSIGN_OR_RETURN(model.blob,
                             blobs.Adopt(arrival.path, Durability::kDurable));
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckModelFile(const std::string& path,
                            const std::vector<TensorSpec>& specs) {
  auto file = SafetensorsFile::Open(path);
  if (absl::IsInvalidArgument(file.status())) {
    return absl::InvalidArgumentError(
        absl::StrCat("malformed: ", file.status().message()));
  }
  MEANFIELD_RETURN_IF_ERROR(file.status());
  size_t expected = 0;
  for (const TensorSpec& spec : specs) {
    expected += spec.role == TensorRole::kFrozen ? 0 : 1;
  }
  if (expected == 0 || file->tensors().size() != expected) {
    return absl::InvalidArgumentError(
        absl::StrCat("extra: the model holds ", file->tensors().size(),
                     " tensors, reported were ", expected));
  }
  for (const TensorSpec& spec : specs) {
    if (spec.role == TensorRole::kFrozen) continue;
    MEANFIELD_RETURN_IF_ERROR(CheckTensor(*file, spec));
  }
  return absl::OkStatus();
}

void MakeFirstModel(RunFloor& floor,
                    std::function<void(absl::StatusOr<FirstModel>)> done) {
  auto model = std::make_shared<FirstModel>();
  floor
      .MakePhase(
          {.units = {InitUnit(*floor.prepared)},
           .take_in =
               [&blobs = floor.context.store.blobs(), run = floor.prepared,
                model](const Phase::Arrival& arrival) {
                 return TakeIn(arrival, *run, blobs, *model);
               },
           .ended =
               [model, done = std::move(done)](Phase& phase,
                                               const absl::Status& status) {
                 phase.Close();
                 if (!status.ok()) return done(Annotate(status, "first model"));
                 done(std::move(*model));
               }})
      ->Start();
}

}  // namespace meanfield::driver

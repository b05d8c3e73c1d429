#include "coordinator/aggregate/exact_mean.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/check.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/kernels/accumulator.h"
#include "coordinator/aggregate/counter_maximum.h"
#include "coordinator/aggregate/update_gate.h"
#include "coordinator/aggregate/update_norm.h"

namespace meanfield::aggregate {
namespace {

constexpr uint64_t kWeightLimit = uint64_t{1} << 53;

// One tensor of the model; exactly one of `sum` and `maximum` is set, none for
// a frozen tensor.
struct Tensor {
  TensorView base;
  TensorRole role = TensorRole::kTrainable;
  int exponent = 0;
  std::unique_ptr<kernels::Accumulator> sum;
  std::optional<CounterMaximum> maximum;
};

absl::StatusOr<std::unique_ptr<kernels::Device>> OpenDevice(FoldDevice device) {
  if (device == FoldDevice::kCpu) return kernels::OpenCpu();
  auto opened = kernels::OpenCuda(/*ordinal=*/0);
  if (!opened.ok()) {
    return absl::FailedPreconditionError(
        StrCat("the fold cannot run on a GPU: ", opened.error()));
  }
  return std::move(opened.value());
}

absl::Status CheckFinite(const TensorView& base, double max_abs) {
  if (std::isfinite(max_abs)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat(std::isnan(max_abs) ? "nan" : "inf", ": tensor ",
             DebugString(base.spec), " of the global model holds ", max_abs));
}

absl::StatusOr<Tensor> Prepare(const TensorView& base, const TensorSpec& spec,
                               kernels::Device& device) {
  Tensor tensor;
  tensor.base = base;
  tensor.role = spec.role;
  if (spec.role == TensorRole::kFrozen) return tensor;
  if (spec.role == TensorRole::kCounter) {
    tensor.maximum.emplace(spec.dtype);
    return tensor;
  }
  const double max_abs = kernels::MaxAbs(FloatsOf(base));
  MEANFIELD_RETURN_IF_ERROR(CheckFinite(base, max_abs));
  tensor.exponent = kernels::FoldExponent(max_abs);
  auto sum = device.NewAccumulator(FloatsOf(base), tensor.exponent);
  if (!sum.ok()) {
    return absl::ResourceExhaustedError(StrCat(
        "no room for the sum of ", DebugString(spec), ": ", sum.error()));
  }
  tensor.sum = std::move(sum.value());
  return tensor;
}

// `base` without the frozen tensors of `specs` that it does not hold.
std::vector<TensorSpec> TensorsOf(const SafetensorsFile& base,
                                  std::vector<TensorSpec> specs) {
  std::erase_if(specs, [&](const TensorSpec& spec) {
    return spec.role == TensorRole::kFrozen && base.Find(spec.name) == nullptr;
  });
  return specs;
}

absl::Status CheckBase(const SafetensorsFile& base,
                       std::vector<TensorSpec> specs) {
  MEANFIELD_RETURN_IF_ERROR(CheckRoles(specs));
  for (TensorSpec& spec : specs) spec.role = TensorRole::kTrainable;
  return CheckStructure(base, specs, "the global model");
}

}  // namespace

struct ExactMean::State {
  std::vector<TensorSpec> specs;
  std::unique_ptr<kernels::Device> device;  // outlives the sums
  std::vector<Tensor> tensors;              // in the order of specs
  uint64_t total_weight = 0;
  uint64_t accepted_weight = 0;
  int accepted_updates = 0;
  double last_norm = 0;
  absl::Status lost;  // why the sums are unknown

  // Weight of an update in the sums.
  double Fraction(uint64_t weight) const {
    return static_cast<double>(weight) / static_cast<double>(total_weight);
  }
  absl::Status Fold(const SafetensorsFile& update, double fraction,
                    UpdateNorm* norm);
  // Folds the first `count` tensors, whose invalid elements are known.
  absl::Status FoldBack(const SafetensorsFile& update, double fraction,
                        size_t count);
  absl::Status WriteTensor(const Tensor& tensor, double ratio,
                           std::span<std::byte> mean) const;
  absl::Status CheckAdded(const SafetensorsFile& update, uint64_t weight) const;
  absl::Status Lose(const Tensor& tensor, const std::string& error);
};

// As far as weights and counters tell.
absl::Status ExactMean::State::CheckAdded(const SafetensorsFile& update,
                                          uint64_t weight) const {
  bool possible =
      accepted_updates > 0 && weight > 0 && weight <= accepted_weight;
  for (const Tensor& tensor : tensors) {
    if (!tensor.maximum.has_value()) continue;
    possible = possible && tensor.maximum->Contains(
                               update.Find(tensor.base.spec.name)->bytes);
  }
  if (possible) return absl::OkStatus();
  return absl::FailedPreconditionError(
      StrCat("an update of weight ", weight, " cannot be taken out of ",
             accepted_updates, " updates of weight ", accepted_weight,
             ": it was not added"));
}

absl::Status ExactMean::State::Lose(const Tensor& tensor,
                                    const std::string& error) {
  lost =
      absl::InternalError(StrCat("the sums are lost: folding ",
                                 DebugString(tensor.base.spec), ": ", error));
  return lost;
}

absl::Status ExactMean::State::Fold(const SafetensorsFile& update,
                                    double fraction, UpdateNorm* norm) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    Tensor& tensor = tensors[i];
    if (tensor.sum == nullptr) continue;
    const TensorView& view = *update.Find(tensor.base.spec.name);
    auto folded = tensor.sum->Fold(FloatsOf(view), fraction);
    if (!folded.ok()) return Lose(tensor, folded.error());
    const kernels::FoldOutcome& outcome = folded.value();
    if (outcome.first_invalid.has_value()) {
      MEANFIELD_RETURN_IF_ERROR(FoldBack(update, -fraction, i + 1));
      return InvalidElement(tensor.base, view, *outcome.first_invalid);
    }
    if (tensor.role == TensorRole::kTrainable) {
      norm->Add(outcome.squares, tensor.exponent);
    }
  }
  return absl::OkStatus();
}

absl::Status ExactMean::State::FoldBack(const SafetensorsFile& update,
                                        double fraction, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    Tensor& tensor = tensors[i];
    if (tensor.sum == nullptr) continue;
    const TensorView& view = *update.Find(tensor.base.spec.name);
    auto folded = tensor.sum->Fold(FloatsOf(view), fraction);
    if (!folded.ok()) return Lose(tensor, folded.error());
  }
  return absl::OkStatus();
}

absl::Status ExactMean::State::WriteTensor(const Tensor& tensor, double ratio,
                                           std::span<std::byte> mean) const {
  if (tensor.maximum.has_value()) {
    tensor.maximum->Write(mean);
  } else if (tensor.sum == nullptr) {
    std::copy(tensor.base.bytes.begin(), tensor.base.bytes.end(), mean.begin());
  } else {
    const auto finished = tensor.sum->Finish(ratio, mean.data());
    if (!finished.ok()) {
      return absl::InternalError(StrCat("cannot finish the mean of ",
                                        DebugString(tensor.base.spec), ": ",
                                        finished.error()));
    }
  }
  return absl::OkStatus();
}

ExactMean::ExactMean(std::unique_ptr<State> state) : state_(std::move(state)) {}
ExactMean::ExactMean(ExactMean&&) noexcept = default;
ExactMean& ExactMean::operator=(ExactMean&&) noexcept = default;
ExactMean::~ExactMean() = default;

absl::StatusOr<ExactMean> ExactMean::Create(const SafetensorsFile& base,
                                            std::vector<TensorSpec> specs,
                                            uint64_t total_weight,
                                            FoldDevice device) {
  if (total_weight == 0 || total_weight >= kWeightLimit) {
    return absl::InvalidArgumentError(
        StrCat("weight: the planned group weighs ", total_weight,
               ", expected 1 to 2^53 - 1"));
  }
  auto state = std::make_unique<State>();
  state->specs = TensorsOf(base, std::move(specs));
  state->total_weight = total_weight;
  MEANFIELD_RETURN_IF_ERROR(CheckBase(base, state->specs));
  MEANFIELD_ASSIGN_OR_RETURN(state->device, OpenDevice(device));
  for (const TensorSpec& spec : state->specs) {
    MEANFIELD_ASSIGN_OR_RETURN(
        Tensor tensor, Prepare(*base.Find(spec.name), spec, *state->device));
    state->tensors.push_back(std::move(tensor));
  }
  return ExactMean(std::move(state));
}

absl::Status ExactMean::Add(const SafetensorsFile& update, uint64_t weight) {
  MEANFIELD_RETURN_IF_ERROR(state_->lost);
  MEANFIELD_RETURN_IF_ERROR(
      CheckStructure(update, state_->specs, "the update"));
  const uint64_t room = state_->total_weight - state_->accepted_weight;
  if (weight == 0 || weight > room) {
    return absl::InvalidArgumentError(StrCat(
        "weight: the update weighs ", weight, ", expected 1 to ", room, " (",
        state_->accepted_weight, " of ", state_->total_weight, " are in)"));
  }
  UpdateNorm norm;
  MEANFIELD_RETURN_IF_ERROR(
      state_->Fold(update, state_->Fraction(weight), &norm));
  for (Tensor& tensor : state_->tensors) {
    if (!tensor.maximum.has_value()) continue;
    tensor.maximum->Add(update.Find(tensor.base.spec.name)->bytes);
  }
  state_->accepted_weight += weight;
  ++state_->accepted_updates;
  state_->last_norm = norm.Value();
  return absl::OkStatus();
}

absl::Status ExactMean::Remove(const SafetensorsFile& update, uint64_t weight) {
  MEANFIELD_RETURN_IF_ERROR(state_->lost);
  MEANFIELD_RETURN_IF_ERROR(
      CheckStructure(update, state_->specs, "the update"));
  MEANFIELD_RETURN_IF_ERROR(state_->CheckAdded(update, weight));
  UpdateNorm unused;
  const absl::Status folded =
      state_->Fold(update, -state_->Fraction(weight), &unused);
  if (absl::IsInvalidArgument(folded)) {
    return absl::FailedPreconditionError(
        StrCat("an update that was not added cannot be taken out: ",
               StdView(folded.message())));
  }
  MEANFIELD_RETURN_IF_ERROR(folded);
  for (Tensor& tensor : state_->tensors) {
    if (!tensor.maximum.has_value()) continue;
    tensor.maximum->Remove(update.Find(tensor.base.spec.name)->bytes);
  }
  state_->accepted_weight -= weight;
  --state_->accepted_updates;
  return absl::OkStatus();
}

uint64_t ExactMean::accepted_weight() const { return state_->accepted_weight; }

int ExactMean::accepted_updates() const { return state_->accepted_updates; }

double ExactMean::last_update_norm() const { return state_->last_norm; }

absl::Status ExactMean::Finish(const std::string& output_path,
                               const SafetensorsFile* only_update) const {
  MEANFIELD_RETURN_IF_ERROR(state_->lost);
  if (state_->accepted_updates == 0) {
    return absl::FailedPreconditionError(
        "no update was accepted: there is nothing to average");
  }
  const bool single = state_->accepted_updates == 1;
  MEANFIELD_CHECK(!single || only_update != nullptr,
                  "Finish needs the update where exactly one is accepted");
  if (single) {
    MEANFIELD_RETURN_IF_ERROR(
        CheckStructure(*only_update, state_->specs, "the update"));
  }
  MEANFIELD_ASSIGN_OR_RETURN(
      SafetensorsWriter writer,
      SafetensorsWriter::Create(output_path, state_->specs));
  const double ratio = static_cast<double>(state_->total_weight) /
                       static_cast<double>(state_->accepted_weight);
  for (const Tensor& tensor : state_->tensors) {
    const std::string& name = tensor.base.spec.name;
    const std::span<std::byte> mean = writer.Mutable(name);
    if (single && tensor.role != TensorRole::kFrozen) {
      std::ranges::copy(only_update->Find(name)->bytes, mean.begin());
    } else {
      MEANFIELD_RETURN_IF_ERROR(state_->WriteTensor(tensor, ratio, mean));
    }
  }
  return writer.Finish();
}

absl::Status FoldDeviceIsThere(FoldDevice device) {
  return OpenDevice(device).status();
}

}  // namespace meanfield::aggregate

#include "coordinator/optimize/server_step.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/status.h"
#include "common/base/strings.h"

namespace meanfield::optimize {
namespace {

// The rules in one form: v = β v + g; w -= η (a g + b v).
struct Rule {
  double learning_rate = 1;   // η
  double momentum = 0;        // β
  double gradient_share = 1;  // a
  double velocity_share = 0;  // b
  bool has_state = false;
};

Rule RuleOf(const proto::ServerOptimizer& optimizer) {
  Rule rule;
  if (optimizer.has_momentum()) {
    rule = {.learning_rate = optimizer.momentum().learning_rate(),
            .momentum = optimizer.momentum().momentum(),
            .gradient_share = 0,
            .velocity_share = 1,
            .has_state = true};
  } else if (optimizer.has_nesterov()) {
    rule = {.learning_rate = optimizer.nesterov().learning_rate(),
            .momentum = optimizer.nesterov().momentum(),
            .gradient_share = 1,
            .velocity_share = optimizer.nesterov().momentum(),
            .has_state = true};
  } else {
    rule.learning_rate = optimizer.avg().learning_rate();
  }
  return rule;
}

bool IsCopy(const Rule& rule) {
  return !rule.has_state && rule.learning_rate == 1;
}

// The tensor of `file` that has the name and shape of `spec`.
absl::StatusOr<TensorView> Find(const SafetensorsFile& file,
                                const TensorSpec& spec, DType dtype,
                                std::string_view what) {
  const TensorView* found = file.Find(spec.name);
  if (found == nullptr || found->spec.dtype != dtype ||
      found->spec.shape != spec.shape) {
    TensorSpec expected = spec;
    expected.dtype = dtype;
    return absl::InvalidArgumentError(
        StrCat("the ", what, " ",
               found == nullptr ? "lacks a tensor"
                                : StrCat("has ", DebugString(found->spec)),
               ": expected ", DebugString(expected)));
  }
  return *found;
}

std::vector<TensorSpec> SpecsOf(const SafetensorsFile& file) {
  std::vector<TensorSpec> specs;
  for (const TensorView& tensor : file.tensors()) specs.push_back(tensor.spec);
  return specs;
}

std::vector<TensorSpec> VelocitySpecs(const std::vector<TensorSpec>& specs) {
  std::vector<TensorSpec> velocity;
  for (const TensorSpec& spec : specs) {
    if (spec.role != TensorRole::kTrainable) continue;
    velocity.push_back(spec);
    velocity.back().dtype = DType::kF64;
  }
  return velocity;
}

// `before` is empty in the first round. Both velocities are empty where the
// rule carries none. Returns the first element that is not finite.
template <typename T>
std::optional<size_t> StepTyped(const Rule& rule, std::span<const T> base,
                                std::span<const T> mean,
                                std::span<const double> before,
                                std::span<double> after, std::span<T> next) {
  std::optional<size_t> first_invalid;
  for (size_t i = 0; i < base.size(); ++i) {
    const double w = base[i];
    const double g = w - static_cast<double>(mean[i]);
    double v = 0;
    if (!after.empty()) {
      v = (before.empty() ? 0 : rule.momentum * before[i]) + g;
      after[i] = v;
    }
    const double direction = rule.gradient_share * g + rule.velocity_share * v;
    next[i] = static_cast<T>(w - rule.learning_rate * direction);
    if (!std::isfinite(next[i]) && !first_invalid) first_invalid = i;
  }
  return first_invalid;
}

template <typename T>
absl::Status StepTensor(const Rule& rule, const TensorView& base,
                        const TensorView& mean, std::span<const double> before,
                        std::span<double> after, std::span<T> next) {
  const auto invalid =
      StepTyped<T>(rule, base.As<T>(), mean.As<T>(), before, after, next);
  if (!invalid.has_value()) return absl::OkStatus();
  return absl::OutOfRangeError(
      StrCat(std::isnan(next[*invalid]) ? "nan" : "inf",
             ": the server step takes element ", *invalid, " of ",
             DebugString(base.spec), " from ", base.As<T>()[*invalid], " to ",
             next[*invalid], " (its mean is ", mean.As<T>()[*invalid],
             "): a smaller learning_rate of the server optimizer may help"));
}

// One run of TakeServerStep where the model is more than a copy.
class Stepper {
 public:
  static absl::StatusOr<Stepper> Create(const Rule& rule,
                                        const ServerStep& step) {
    Stepper stepper(rule, step);
    MEANFIELD_ASSIGN_OR_RETURN(
        stepper.model_,
        SafetensorsWriter::Create(step.model_path, SpecsOf(*step.mean)));
    if (rule.has_state) {
      MEANFIELD_ASSIGN_OR_RETURN(
          stepper.state_, SafetensorsWriter::Create(step.state_path,
                                                    VelocitySpecs(step.specs)));
    }
    return stepper;
  }

  absl::Status Step(const TensorSpec& spec) {
    if (spec.role != TensorRole::kTrainable) return absl::OkStatus();
    if (spec.dtype != DType::kF32 && spec.dtype != DType::kF64) {
      return absl::InvalidArgumentError(
          StrCat("trainable tensor ", DebugString(spec),
                 " cannot step: expected F32 or F64"));
    }
    MEANFIELD_ASSIGN_OR_RETURN(
        const TensorView base,
        Find(*step_.base, spec, spec.dtype, "model before the step"));
    MEANFIELD_ASSIGN_OR_RETURN(
        const TensorView mean,
        Find(*step_.mean, spec, spec.dtype, "mean of the updates"));
    MEANFIELD_ASSIGN_OR_RETURN(const std::span<const double> before,
                               VelocityBefore(spec));
    const std::span<double> after = state_.has_value()
                                        ? state_->MutableAs<double>(spec.name)
                                        : std::span<double>();
    if (spec.dtype == DType::kF64) {
      return StepTensor<double>(rule_, base, mean, before, after,
                                model_->MutableAs<double>(spec.name));
    }
    return StepTensor<float>(rule_, base, mean, before, after,
                             model_->MutableAs<float>(spec.name));
  }

  // Everything as in the mean; trainable tensors step afterwards.
  void CopyMean() {
    for (const TensorView& tensor : step_.mean->tensors()) {
      std::ranges::copy(tensor.bytes,
                        model_->Mutable(tensor.spec.name).begin());
    }
  }

  absl::Status Finish() {
    if (state_.has_value()) MEANFIELD_RETURN_IF_ERROR(state_->Finish());
    return model_->Finish();
  }

 private:
  Stepper(const Rule& rule, const ServerStep& step)
      : rule_(rule), step_(step) {}

  absl::StatusOr<std::span<const double>> VelocityBefore(
      const TensorSpec& spec) const {
    if (!rule_.has_state || step_.state == nullptr) {
      return std::span<const double>();
    }
    MEANFIELD_ASSIGN_OR_RETURN(
        const TensorView velocity,
        Find(*step_.state, spec, DType::kF64, "state of the server optimizer"));
    return velocity.As<double>();
  }

  Rule rule_;
  const ServerStep& step_;
  std::optional<SafetensorsWriter> model_;
  std::optional<SafetensorsWriter> state_;
};

}  // namespace

bool HasState(const proto::ServerOptimizer& optimizer) {
  return RuleOf(optimizer).has_state;
}

absl::Status TakeServerStep(const proto::ServerOptimizer& optimizer,
                            const ServerStep& step) {
  const Rule rule = RuleOf(optimizer);
  if (IsCopy(rule)) {
    return WriteSafetensors(step.model_path, step.mean->tensors());
  }
  MEANFIELD_ASSIGN_OR_RETURN(Stepper stepper, Stepper::Create(rule, step));
  stepper.CopyMean();
  for (const TensorSpec& spec : step.specs) {
    MEANFIELD_RETURN_IF_ERROR(stepper.Step(spec));
  }
  return stepper.Finish();
}

}  // namespace meanfield::optimize

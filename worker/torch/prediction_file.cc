#include "worker/torch/prediction_file.h"

#include <span>
#include <string_view>

#include "common/tensor/safetensors.h"
#include "common/tensor/tensor_spec.h"

namespace meanfield {
namespace {

template <typename T>
TensorView View(std::string_view name, const std::vector<T>& values) {
  return {.spec = {.name = std::string(name),
                   .dtype = DTypeOf<T>(),
                   .shape = {static_cast<int64_t>(values.size())}},
          .bytes = std::as_bytes(std::span(values))};
}

}  // namespace

LossSum PredictionFile::Add(const Predictions& batch) {
  classes_.insert(classes_.end(), batch.classes.begin(), batch.classes.end());
  if (kind_ == Kind::kPredict) {
    probabilities_.insert(probabilities_.end(), batch.probabilities.begin(),
                          batch.probabilities.end());
    return {};
  }
  LossSum loss{.count = static_cast<int64_t>(batch.losses.size())};
  for (const float value : batch.losses) loss.sum += value;
  batch_loss_.push_back(loss.sum);
  batch_items_.push_back(loss.count);
  return loss;
}

absl::Status PredictionFile::Write(const std::string& path) const {
  std::vector<TensorView> tensors = {View("predictions", classes_)};
  if (kind_ == Kind::kEvaluate) {
    tensors.push_back(View("batch_loss", batch_loss_));
    tensors.push_back(View("batch_items", batch_items_));
  } else {
    tensors.push_back(View("probabilities", probabilities_));
  }
  return WriteSafetensors(path, tensors);
}

}  // namespace meanfield

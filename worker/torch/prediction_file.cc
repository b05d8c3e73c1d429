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

LossSum PredictionFile::Add(const Predictions& batch, int64_t num_items) {
  const int64_t before = static_cast<int64_t>(classes_.size());
  for (size_t i = 1; i < batch.class_offsets.size(); ++i) {
    class_offsets_.push_back(before + batch.class_offsets[i]);
  }
  classes_.insert(classes_.end(), batch.classes.begin(), batch.classes.end());
  if (kind_ == Kind::kPredict) {
    probabilities_.insert(probabilities_.end(), batch.probabilities.begin(),
                          batch.probabilities.end());
    return {};
  }
  LossSum loss{.count = num_items};
  for (const float value : batch.losses) loss.sum += value;
  batch_loss_.push_back(loss.sum);
  batch_items_.push_back(loss.count);
  return loss;
}

absl::Status PredictionFile::Write(const std::string& path) const {
  std::vector<TensorView> tensors = {View("predictions", classes_)};
  if (multi_label_) {
    tensors.push_back(View("prediction_offsets", class_offsets_));
  }
  if (kind_ == Kind::kEvaluate) {
    tensors.push_back(View("batch_loss", batch_loss_));
    tensors.push_back(View("batch_items", batch_items_));
  } else {
    tensors.push_back(View("probabilities", probabilities_));
  }
  return WriteSafetensors(path, tensors);
}

}  // namespace meanfield

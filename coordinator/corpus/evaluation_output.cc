#include "coordinator/corpus/evaluation_output.h"

#include <string_view>

#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/tensor/dtype.h"

namespace meanfield::corpus {
namespace {

template <typename... Parts>
absl::Status Unfit(const Parts&... parts) {
  return absl::InvalidArgumentError(StrCat("the output has ", parts...));
}

absl::Status CheckIds(std::span<const int32_t> ids, int32_t num_labels) {
  for (const int32_t id : ids) {
    if (id >= 0 && id < num_labels) continue;
    return Unfit("a prediction of label id ", id, ", expected 0 … ",
                 num_labels - 1);
  }
  return absl::OkStatus();
}

absl::Status CheckOffsets(const PredictedLabels& labels, uint64_t items) {
  const std::span<const int64_t> offsets = labels.offsets;
  if (offsets.size() != items + 1 || offsets.front() != 0 ||
      offsets.back() != static_cast<int64_t>(labels.ids.size())) {
    return Unfit(offsets.size(), " prediction_offsets for ", items,
                 " texts and ", labels.ids.size(),
                 " predictions, expected one a text and an end, from 0");
  }
  for (size_t i = 0; i < items; ++i) {
    if (offsets[i + 1] < offsets[i]) {
      return Unfit("prediction_offsets that fall after ", i);
    }
  }
  for (size_t i = 0; i < items; ++i) {
    const std::span<const int32_t> ids = labels.Of(i);
    for (size_t j = 1; j < ids.size(); ++j) {
      if (ids[j] <= ids[j - 1]) {
        return Unfit("predictions of text ", i, " that do not rise");
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::span<const int32_t> PredictedLabels::Of(size_t item) const {
  if (offsets.empty()) return ids.subspan(item, 1);
  const auto begin = static_cast<size_t>(offsets[item]);
  const auto all =
      ids.subspan(begin, static_cast<size_t>(offsets[item + 1]) - begin);
  // "<unk>", the first label of every dictionary, is what no text has.
  return !all.empty() && all.front() == 0 ? all.subspan(1) : all;
}

absl::StatusOr<PredictedLabels> ReadPredictedLabels(
    const SafetensorsFile& file, const ExpectedLabels& expected) {
  PredictedLabels labels;
  MEANFIELD_ASSIGN_OR_RETURN(const TensorView predictions,
                             file.Get("predictions", DType::kI32, 1));
  labels.ids = predictions.As<int32_t>();
  MEANFIELD_RETURN_IF_ERROR(CheckIds(labels.ids, expected.num_labels));
  if (expected.multi_label) {
    MEANFIELD_ASSIGN_OR_RETURN(const TensorView offsets,
                               file.Get("prediction_offsets", DType::kI64, 1));
    labels.offsets = offsets.As<int64_t>();
    MEANFIELD_RETURN_IF_ERROR(CheckOffsets(labels, expected.items));
  } else if (labels.ids.size() != expected.items) {
    return Unfit(labels.ids.size(), " predictions, expected ", expected.items);
  }
  return labels;
}

absl::StatusOr<BatchLosses> ReadBatchLosses(const SafetensorsFile& file,
                                            uint64_t items) {
  MEANFIELD_ASSIGN_OR_RETURN(const TensorView loss,
                             file.Get("batch_loss", DType::kF64, 1));
  MEANFIELD_ASSIGN_OR_RETURN(const TensorView counts,
                             file.Get("batch_items", DType::kI64, 1));
  const BatchLosses losses{.loss = loss.As<double>(),
                           .items = counts.As<int64_t>()};
  if (losses.loss.size() != losses.items.size()) {
    return Unfit(losses.loss.size(), " batch_loss and ", losses.items.size(),
                 " batch_items, expected the same number");
  }
  uint64_t counted = 0;
  for (const int64_t count : losses.items) {
    if (count < 1 || static_cast<uint64_t>(count) > items - counted) {
      return Unfit("a batch of ", count,
                   " items, expected batches of 1 or more that add up to ",
                   items);
    }
    counted += static_cast<uint64_t>(count);
  }
  if (counted != items) {
    return Unfit("batches that hold ", counted, " items, expected ", items);
  }
  return losses;
}

}  // namespace meanfield::corpus

#ifndef MEANFIELD_COORDINATOR_CORPUS_EVALUATION_OUTPUT_H_
#define MEANFIELD_COORDINATOR_CORPUS_EVALUATION_OUTPUT_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/tensor/safetensors.h"

namespace meanfield::corpus {

// The labels that a unit's output names: views into its file.
struct PredictedLabels {
  std::span<const int32_t> ids;
  std::span<const int64_t> offsets;  // multi-label: item i has ids[offsets[i] …

  // Of an item; one where there are no offsets. "<unk>" is not among several.
  std::span<const int32_t> Of(size_t item) const;
};

// What the output of units is read against.
struct ExpectedLabels {
  uint64_t items = 0;  // texts, or tokens of a tagger
  int32_t num_labels = 0;
  bool multi_label = false;
};

// INVALID_ARGUMENT where the output of an EVALUATE or PREDICT unit does not
// fit: lengths, ids that are no labels, labels of an item that do not rise.
absl::StatusOr<PredictedLabels> ReadPredictedLabels(
    const SafetensorsFile& file, const ExpectedLabels& expected);

// Losses of an EVALUATE unit, batch by batch.
struct BatchLosses {
  std::span<const double> loss;
  std::span<const int64_t> items;
};
// INVALID_ARGUMENT where the batches do not hold `items` together.
absl::StatusOr<BatchLosses> ReadBatchLosses(const SafetensorsFile& file,
                                            uint64_t items);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_EVALUATION_OUTPUT_H_

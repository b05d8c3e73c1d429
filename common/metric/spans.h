#ifndef MEANFIELD_COMMON_METRIC_SPANS_H_
#define MEANFIELD_COMMON_METRIC_SPANS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/metric/label_statistics.h"

namespace meanfield {

struct LabeledSpan {
  int64_t begin = 0;  // token index
  int64_t end = 0;    // exclusive
  std::string label;
  friend bool operator==(const LabeledSpan&, const LabeledSpan&) = default;
};

// Lenient decoding of BIO, IOB1 and BIOES tags as Flair 0.15.1 does for
// predictions: an E- or I- without B- starts or extends a span, I-X after
// another class starts a new one; the class is the majority of the tags, the
// first counting 1.1. The prefix ends at the first "-".
std::vector<LabeledSpan> DecodeSpans(std::span<const std::string_view> tags);

// Adds the union of gold and predicted spans of one sentence.
void AddSpans(const std::vector<LabeledSpan>& gold,
              const std::vector<LabeledSpan>& predicted,
              LabelStatistics& statistics);

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_METRIC_SPANS_H_

#include "common/metric/spans.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/metric/label_statistics.h"

namespace meanfield {
namespace {

struct Tag {
  char prefix = 'O';
  std::string_view label;
  bool operator==(const Tag&) const = default;
};

Tag ParseTag(std::string_view tag) {
  if (tag.empty() || tag == "O" || tag == "_" || tag == "O-") return {};
  if (tag.size() >= 2 && tag[1] == '-') return {tag[0], tag.substr(2)};
  // Without a prefix, as in IO tagging.
  return {'I', tag};
}

// The span being read. Weights count tenths, so that they compare exactly; the
// label that came first wins a tie.
class OpenSpan {
 public:
  void Extend(std::string_view label, bool starts_span) {
    const int64_t weight = starts_span ? 11 : 10;
    for (auto& [known, sum] : weights_) {
      if (known == label) {
        sum += weight;
        return;
      }
    }
    weights_.emplace_back(label, weight);
  }
  bool empty() const { return weights_.empty(); }
  std::string_view Close() {
    auto best = weights_.front();
    for (const auto& entry : weights_) {
      if (entry.second > best.second) best = entry;
    }
    weights_.clear();
    return best.first;
  }

 private:
  std::vector<std::pair<std::string_view, int64_t>> weights_;
};

bool StartsSpan(const Tag& tag, const Tag& previous) {
  if (tag.prefix == 'B' || tag.prefix == 'S') return true;
  return tag.prefix == 'I' && tag.label != previous.label;
}

}  // namespace

std::vector<LabeledSpan> DecodeSpans(std::span<const std::string_view> tags) {
  std::vector<LabeledSpan> spans;
  OpenSpan open;
  int64_t begin = 0;
  Tag previous;
  // One step past the end closes the last span.
  for (size_t i = 0; i <= tags.size(); ++i) {
    const Tag tag = i < tags.size() ? ParseTag(tags[i]) : Tag{};
    const bool inside = tag != Tag{};
    const bool starts = inside && StartsSpan(tag, previous);
    if ((starts || !inside) && !open.empty()) {
      spans.push_back(
          {begin, static_cast<int64_t>(i), std::string(open.Close())});
    }
    if (inside) {
      if (open.empty()) begin = static_cast<int64_t>(i);
      open.Extend(tag.label, starts);
    }
    previous = tag;
  }
  return spans;
}

void AddSpans(const std::vector<LabeledSpan>& gold,
              const std::vector<LabeledSpan>& predicted,
              LabelStatistics& statistics) {
  struct Sides {
    std::string_view gold;
    std::string_view predicted;
  };
  std::map<std::pair<int64_t, int64_t>, Sides> keys;
  for (const LabeledSpan& span : gold) {
    keys[{span.begin, span.end}].gold = span.label;
  }
  for (const LabeledSpan& span : predicted) {
    keys[{span.begin, span.end}].predicted = span.label;
  }
  for (const auto& [key, sides] : keys) {
    statistics.Add(sides.gold, sides.predicted);
  }
}

}  // namespace meanfield

#include "coordinator/corpus/span_tags.h"

#include <cstdint>

#include "common/base/check.h"
#include "common/base/strings.h"

namespace meanfield::corpus {
namespace {

void FillSpan(const LabeledSpan& span, std::string_view first,
              std::string_view inside, std::string_view last,
              std::string_view single, std::vector<std::string>& tags) {
  MEANFIELD_CHECK(
      span.begin < span.end && static_cast<size_t>(span.end) <= tags.size(),
      "span outside its sentence");
  for (int64_t i = span.begin; i < span.end; ++i) {
    std::string_view prefix = inside;
    if (span.end - span.begin == 1) {
      prefix = single;
    } else if (i == span.begin) {
      prefix = first;
    } else if (i == span.end - 1) {
      prefix = last;
    }
    tags[static_cast<size_t>(i)] = StrCat(prefix, span.label);
  }
}

}  // namespace

bool HasSpanPrefix(std::string_view tag) {
  return tag.size() >= 2 && tag[1] == '-' &&
         (tag[0] == 'B' || tag[0] == 'I' || tag[0] == 'E' || tag[0] == 'S');
}

bool IsOutside(std::string_view tag) { return tag == "O" || tag == "_"; }

std::vector<LabeledSpan> GoldSpans(std::span<const std::string_view> tags) {
  std::vector<LabeledSpan> spans;
  bool open = false;
  for (size_t i = 0; i < tags.size(); ++i) {
    if (!HasSpanPrefix(tags[i])) {
      open = false;
      continue;
    }
    const char prefix = tags[i][0];
    const std::string_view label = tags[i].substr(2);
    const bool starts =
        prefix == 'B' || prefix == 'S' || !open || spans.back().label != label;
    const auto token = static_cast<int64_t>(i);
    if (starts) spans.push_back({token, token + 1, std::string(label)});
    spans.back().end = token + 1;
    open = prefix == 'B' || prefix == 'I';
  }
  return spans;
}

std::vector<std::string> ToBioes(std::span<const LabeledSpan> spans,
                                 size_t num_tokens) {
  std::vector<std::string> tags(num_tokens, "O");
  for (const LabeledSpan& span : spans) {
    FillSpan(span, "B-", "I-", "E-", "S-", tags);
  }
  return tags;
}

std::vector<std::string> ToBio(std::span<const LabeledSpan> spans,
                               size_t num_tokens) {
  std::vector<std::string> tags(num_tokens, "O");
  for (const LabeledSpan& span : spans) {
    FillSpan(span, "B-", "I-", "I-", "B-", tags);
  }
  return tags;
}

}  // namespace meanfield::corpus

#include "coordinator/corpus/dictionary_builder.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/strings.h"
#include "coordinator/corpus/span_tags.h"
#include "coordinator/corpus/string_pool.h"

namespace meanfield::corpus {
namespace {

// How often each string of a pool occurs, by id.
using Counts = std::vector<int64_t>;

void Count(int32_t id, Counts& counts) {
  if (static_cast<size_t>(id) >= counts.size()) {
    counts.resize(static_cast<size_t>(id) + 1);
  }
  ++counts[static_cast<size_t>(id)];
}

// Ids that occur at all, the most frequent first; ties by `before`.
template <typename Before>
std::vector<int32_t> ByFrequency(const Counts& counts, int64_t min_frequency,
                                 Before before) {
  std::vector<int32_t> ids;
  for (size_t id = 0; id < counts.size(); ++id) {
    if (counts[id] >= std::max<int64_t>(min_frequency, 1)) {
      ids.push_back(static_cast<int32_t>(id));
    }
  }
  std::sort(ids.begin(), ids.end(), [&](int32_t a, int32_t b) {
    const int64_t count_a = counts[static_cast<size_t>(a)];
    const int64_t count_b = counts[static_cast<size_t>(b)];
    return count_a != count_b ? count_a > count_b : before(a, b);
  });
  return ids;
}

// Ids of a pool rise with the first sight of their strings.
bool FirstSeen(int32_t a, int32_t b) { return a < b; }

Dictionary UnknownThen(const std::vector<int32_t>& ids,
                       const StringPool& pool) {
  std::vector<std::string> items = {std::string(kUnknown)};
  for (const int32_t id : ids) {
    // A corpus may spell out "<unk>" itself.
    if (pool.at(id) != kUnknown) items.emplace_back(pool.at(id));
  }
  return Dictionary(std::move(items));
}

Dictionary BuildSpanTags(const SampleTable& table,
                         std::span<const int64_t> samples) {
  StringPool classes;
  Counts counts;
  for (const int64_t sample : samples) {
    const std::vector<std::string_view> tags = table.TagStrings(sample);
    for (const LabeledSpan& span : GoldSpans(tags)) {
      Count(classes.Intern(span.label), counts);
    }
  }
  std::vector<std::string> items = {"O"};
  for (const int32_t id : ByFrequency(counts, 1, FirstSeen)) {
    for (const std::string_view prefix : {"S-", "B-", "E-", "I-"}) {
      items.push_back(StrCat(prefix, classes.at(id)));
    }
  }
  return Dictionary(std::move(items));
}

}  // namespace

Dictionary BuildWords(const SampleTable& table,
                      std::span<const int64_t> samples, int64_t min_frequency) {
  const StringPool& words = table.words();
  Counts counts;
  for (const int64_t sample : samples) {
    for (const int32_t word : table.tokens(sample)) Count(word, counts);
  }
  return UnknownThen(ByFrequency(counts, min_frequency,
                                 [&](int32_t a, int32_t b) {
                                   return words.at(a) < words.at(b);
                                 }),
                     words);
}

Dictionary BuildLabels(const SampleTable& table,
                       std::span<const int64_t> samples, LabelKind kind) {
  if (kind == LabelKind::kSpan) return BuildSpanTags(table, samples);
  Counts counts;
  for (const int64_t sample : samples) {
    if (kind == LabelKind::kDocument) {
      Count(table.label(sample), counts);
    } else {
      for (const int32_t tag : table.tags(sample)) Count(tag, counts);
    }
  }
  return UnknownThen(ByFrequency(counts, 1, FirstSeen), table.label_names());
}

}  // namespace meanfield::corpus

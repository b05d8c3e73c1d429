#include "coordinator/corpus/dictionary_builder.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/strings.h"
#include "coordinator/corpus/span_tags.h"
#include "coordinator/corpus/string_pool.h"
#include "coordinator/corpus/word_forms.h"

namespace meanfield::corpus {
namespace {

// How often each string of a pool occurs, by id.
using Counts = std::vector<int64_t>;

void Count(int32_t id, int64_t times, Counts& counts) {
  if (static_cast<size_t>(id) >= counts.size()) {
    counts.resize(static_cast<size_t>(id) + 1);
  }
  counts[static_cast<size_t>(id)] += times;
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

std::vector<std::string> UnknownThen(const std::vector<int32_t>& ids,
                                     const StringPool& pool) {
  std::vector<std::string> items = {std::string(kUnknown)};
  for (const int32_t id : ids) {
    // A corpus may spell out "<unk>" itself.
    if (pool.at(id) != kUnknown) items.emplace_back(pool.at(id));
  }
  return items;
}

std::vector<std::string> BuildSpanTags(const SampleTable& table,
                                       std::span<const int64_t> samples) {
  StringPool classes;
  Counts counts;
  for (const int64_t sample : samples) {
    const std::vector<std::string_view> tags = table.TagStrings(sample);
    for (const LabeledSpan& span : GoldSpans(tags)) {
      Count(classes.Intern(span.label), 1, counts);
    }
  }
  std::vector<std::string> items = {"O"};
  for (const int32_t id : ByFrequency(counts, 1, FirstSeen)) {
    for (const std::string_view prefix : {"S-", "B-", "E-", "I-"}) {
      items.push_back(StrCat(prefix, classes.at(id)));
    }
  }
  return items;
}

std::vector<std::string> BuildPlainLabels(const SampleTable& table,
                                          std::span<const int64_t> samples,
                                          LabelKind kind) {
  Counts counts;
  for (const int64_t sample : samples) {
    for (const int32_t label : kind == LabelKind::kDocument
                                   ? table.labels(sample)
                                   : table.tags(sample)) {
      Count(label, 1, counts);
    }
  }
  return UnknownThen(ByFrequency(counts, 1, FirstSeen), table.label_names());
}

// How often each word of the table occurs in these samples.
Counts CountWords(const SampleTable& table, std::span<const int64_t> samples) {
  Counts counts;
  for (const int64_t sample : samples) {
    for (const int32_t word : table.tokens(sample)) Count(word, 1, counts);
  }
  return counts;
}

Dictionary ByFrequencyThenBytes(const Counts& counts, int64_t min_frequency,
                                const StringPool& pool) {
  return Dictionary(UnknownThen(ByFrequency(counts, min_frequency,
                                            [&](int32_t a, int32_t b) {
                                              return pool.at(a) < pool.at(b);
                                            }),
                                pool));
}

}  // namespace

Dictionary BuildWords(const SampleTable& table,
                      std::span<const int64_t> samples, int64_t min_frequency) {
  return ByFrequencyThenBytes(CountWords(table, samples), min_frequency,
                              table.words());
}

Dictionary BuildCharacters(const SampleTable& table,
                           std::span<const int64_t> samples) {
  const Counts words = CountWords(table, samples);
  StringPool characters;
  Counts counts;
  for (size_t word = 0; word < words.size(); ++word) {
    if (words[word] == 0) continue;
    for (const std::string_view character :
         Characters(table.words().at(static_cast<int32_t>(word)))) {
      Count(characters.Intern(character), words[word], counts);
    }
  }
  return ByFrequencyThenBytes(counts, /*min_frequency=*/1, characters);
}

absl::StatusOr<Dictionary> BuildLabels(const SampleTable& table,
                                       std::span<const int64_t> samples,
                                       LabelKind kind, bool crf) {
  std::vector<std::string> items = kind == LabelKind::kSpan
                                       ? BuildSpanTags(table, samples)
                                       : BuildPlainLabels(table, samples, kind);
  if (!crf) return Dictionary(std::move(items));
  for (const std::string_view added : {kStartTag, kStopTag}) {
    if (std::find(items.begin(), items.end(), added) != items.end()) {
      return absl::InvalidArgumentError(
          StrCat(table.path(), ": a tag is called ", added,
                 ", a name that a crf needs for itself; rename the tag or set ",
                 "crf: false"));
    }
    items.emplace_back(added);
  }
  return Dictionary(std::move(items));
}

}  // namespace meanfield::corpus

#include "coordinator/corpus/findings.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "common/base/strings.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/span_tags.h"

namespace meanfield::corpus {
namespace {

constexpr size_t kExamples = 5;
constexpr uint64_t kFewExamples = 5;  // of a label

void AddExample(Finding& finding, std::string example) {
  ++finding.count;
  if (finding.examples.size() < kExamples) {
    finding.examples.push_back(std::move(example));
  }
}

void AddIfAny(Finding finding, std::vector<Finding>& findings) {
  if (finding.count > 0) findings.push_back(std::move(finding));
}

struct Occurrences {
  uint64_t count = 0;
  std::string first;  // "file:line"
};
using LabelTable = std::map<std::string, Occurrences>;

LabelTable LabelsOf(const SplitView& split, LabelKind kind) {
  LabelTable labels;
  for (const int64_t sample : split.samples) {
    for (const std::string& label : ScoredLabels(*split.table, sample, kind)) {
      Occurrences& seen = labels[label];
      if (seen.count++ == 0) seen.first = split.Place(sample);
    }
  }
  return labels;
}

Finding LabelsOnlyIn(std::string_view split, const LabelTable& labels,
                     const LabelTable& train) {
  Finding finding{.kind = StrCat("labels_only_in_", split),
                  .what = StrCat("labels that only ", split, " has (they ",
                                 "cannot be learned and count as errors)")};
  for (const auto& [label, seen] : labels) {
    if (train.contains(label)) continue;
    AddExample(finding,
               StrCat(seen.first, ": ", Quoted(label), ", ", seen.count, "×"));
  }
  return finding;
}

Finding SimilarLabels(const std::vector<LabelTable>& of_splits) {
  Finding finding{.kind = "similar_labels",
                  .what =
                      "labels that differ in letter case, or by \"-\" and "
                      "\"_\", only"};
  std::map<std::string, std::map<std::string, Occurrences>> groups;
  for (const LabelTable& labels : of_splits) {
    for (const auto& [label, seen] : labels) {
      const std::string plain =
          absl::StrReplaceAll(absl::AsciiStrToLower(label), {{"_", "-"}});
      Occurrences& all = groups[plain][label];
      if (all.count == 0) all.first = seen.first;
      all.count += seen.count;
    }
  }
  for (const auto& [plain, labels] : groups) {
    if (labels.size() < 2) continue;
    std::vector<std::string> parts;
    for (const auto& [label, seen] : labels) {
      parts.push_back(
          StrCat(Quoted(label), " ", seen.count, "× (first ", seen.first, ")"));
    }
    AddExample(finding, absl::StrJoin(parts, ", "));
  }
  return finding;
}

Finding RareLabels(const LabelTable& train) {
  Finding finding{.kind = "rare_labels",
                  .what = StrCat("labels with fewer than ", kFewExamples,
                                 " examples to learn from")};
  for (const auto& [label, seen] : train) {
    if (seen.count >= kFewExamples) continue;
    AddExample(finding,
               StrCat(seen.first, ": ", Quoted(label), ", ", seen.count, "×"));
  }
  return finding;
}

// The texts of the training split, each with its first sample.
class TextIndex {
 public:
  explicit TextIndex(const SplitView& split) : split_(split) {}

  // The first sample with the same words; -1: none.
  int64_t Find(const SplitView& other, int64_t sample) const {
    const auto found = first_.find(HashOf(other, sample));
    if (found == first_.end() || !Same(other, sample, found->second)) return -1;
    return found->second;
  }
  void Add(int64_t sample) { first_.emplace(HashOf(split_, sample), sample); }

 private:
  static uint64_t HashOf(const SplitView& split, int64_t sample) {
    uint64_t hash = 0;
    for (const int32_t token : split.table->tokens(sample)) {
      hash = absl::HashOf(hash, split.table->words().at(token));
    }
    return hash;
  }
  bool Same(const SplitView& other, int64_t sample, int64_t mine) const {
    return std::equal(
        other.table->tokens(sample).begin(), other.table->tokens(sample).end(),
        split_.table->tokens(mine).begin(), split_.table->tokens(mine).end(),
        [&](int32_t a, int32_t b) {
          return other.table->words().at(a) == split_.table->words().at(b);
        });
  }

  const SplitView& split_;
  absl::flat_hash_map<uint64_t, int64_t> first_;
};

std::vector<std::string> SortedLabels(const SplitView& split, int64_t sample) {
  std::vector<std::string> labels = ScoredLabels(
      *split.table, sample,
      split.table->tagged() ? LabelKind::kToken : LabelKind::kDocument);
  if (!split.table->tagged()) std::sort(labels.begin(), labels.end());
  return labels;
}

void FindDuplicates(const SplitView& train, TextIndex& index,
                    std::vector<Finding>& findings) {
  Finding duplicates{.kind = "duplicates",
                     .what = "training texts that repeat an earlier one"};
  Finding conflicts{.kind = "conflicting_labels",
                    .what =
                        "training texts that repeat an earlier one with "
                        "other labels"};
  for (const int64_t sample : train.samples) {
    const int64_t first = index.Find(train, sample);
    if (first < 0) {
      index.Add(sample);
      continue;
    }
    const std::string example =
        StrCat(train.Place(sample), " repeats line ", train.table->line(first),
               ": ", train.Text(sample));
    AddExample(duplicates, example);
    if (SortedLabels(train, sample) != SortedLabels(train, first)) {
      AddExample(conflicts, example);
    }
  }
  AddIfAny(std::move(duplicates), findings);
  AddIfAny(std::move(conflicts), findings);
}

Finding SharedTexts(const SplitView& train, const SplitView& split,
                    const TextIndex& index) {
  Finding finding{.kind = StrCat("shared_with_", split.name),
                  .what = StrCat("texts of ", split.name, " that are training ",
                                 "texts as well")};
  for (const int64_t sample : split.samples) {
    const int64_t first = index.Find(split, sample);
    if (first < 0) continue;
    AddExample(finding, StrCat(split.Place(sample), " is ", train.Place(first),
                               ": ", split.Text(sample)));
  }
  return finding;
}

// Tokens whose I- or E- starts a span.
size_t OddTransitions(std::span<const std::string_view> tags) {
  size_t odd = 0;
  for (const LabeledSpan& span : GoldSpans(tags)) {
    const char prefix = tags[static_cast<size_t>(span.begin)][0];
    odd += prefix == 'I' || prefix == 'E' ? 1 : 0;
  }
  return odd;
}

Finding FindOddTransitions(const std::vector<SplitView>& splits) {
  Finding finding{
      .kind = "odd_transitions",
      .what =
          "sentences with an I- or E- tag that starts a span (IOB1 and IO "
          "are written so; read by conlleval's rule)"};
  for (const SplitView& split : splits) {
    for (const int64_t sample : split.samples) {
      const size_t odd = OddTransitions(split.table->TagStrings(sample));
      if (odd == 0) continue;
      AddExample(finding, StrCat(split.Place(sample), ": ", odd,
                                 " in the sentence that starts here"));
    }
  }
  return finding;
}

}  // namespace

std::vector<Finding> FindOddTexts(const std::vector<SplitView>& splits,
                                  LabelKind kind) {
  std::vector<Finding> findings;
  std::vector<LabelTable> labels;
  for (const SplitView& split : splits) labels.push_back(LabelsOf(split, kind));
  for (size_t i = 1; i < splits.size(); ++i) {
    AddIfAny(LabelsOnlyIn(splits[i].name, labels[i], labels[0]), findings);
  }
  AddIfAny(SimilarLabels(labels), findings);
  AddIfAny(RareLabels(labels[0]), findings);
  TextIndex index(splits[0]);
  std::vector<Finding> duplicates;
  FindDuplicates(splits[0], index, duplicates);
  for (size_t i = 1; i < splits.size(); ++i) {
    AddIfAny(SharedTexts(splits[0], splits[i], index), findings);
  }
  for (Finding& finding : duplicates) findings.push_back(std::move(finding));
  if (kind == LabelKind::kSpan) {
    AddIfAny(FindOddTransitions(splits), findings);
  }
  return findings;
}

}  // namespace meanfield::corpus

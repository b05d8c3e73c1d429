#include "coordinator/corpus/split_view.h"

#include "absl/strings/str_join.h"
#include "common/base/strings.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/span_tags.h"

namespace meanfield::corpus {

std::string SplitView::Place(int64_t sample) const {
  return StrCat(table->path(), ":", table->line(sample));
}

std::string SplitView::Text(int64_t sample) const {
  constexpr size_t kWords = 12;  // enough to recognise it
  std::vector<std::string> words;
  for (const int32_t token : table->tokens(sample)) {
    if (words.size() == kWords) break;
    words.emplace_back(table->words().at(token));
  }
  return Quoted(absl::StrJoin(words, " "));
}

std::vector<SplitView> SplitsOf(const LoadedCorpus& loaded) {
  std::vector<SplitView> splits = {{"train", &loaded.train, loaded.parts.train},
                                   {"dev", &loaded.dev(), loaded.parts.dev},
                                   {"test", &loaded.test(), loaded.parts.test}};
  std::erase_if(splits,
                [](const SplitView& split) { return split.samples.empty(); });
  return splits;
}

std::vector<std::string> ScoredLabels(const SampleTable& table, int64_t sample,
                                      LabelKind kind) {
  std::vector<std::string> labels;
  if (kind == LabelKind::kDocument) {
    for (const int32_t label : table.labels(sample)) {
      labels.emplace_back(table.label_names().at(label));
    }
    return labels;
  }
  const std::vector<std::string_view> tags = table.TagStrings(sample);
  if (kind == LabelKind::kToken) return {tags.begin(), tags.end()};
  for (const LabeledSpan& span : GoldSpans(tags)) labels.push_back(span.label);
  return labels;
}

}  // namespace meanfield::corpus

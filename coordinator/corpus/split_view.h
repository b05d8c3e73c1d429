#ifndef MEANFIELD_COORDINATOR_CORPUS_SPLIT_VIEW_H_
#define MEANFIELD_COORDINATOR_CORPUS_SPLIT_VIEW_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/corpus/loaded_corpus.h"

namespace meanfield::corpus {

// Some samples of a table by name: "train", "dev", "test".
struct SplitView {
  std::string_view name;
  const SampleTable* table = nullptr;
  std::span<const int64_t> samples;

  // "file:line" of a sample.
  std::string Place(int64_t sample) const;
  // Its words, for a message.
  std::string Text(int64_t sample) const;
};

// The splits that have samples; `loaded` must outlive them.
std::vector<SplitView> SplitsOf(const LoadedCorpus& loaded);

// The labels of a sample as scores count them: a text's, its tokens' tags or
// the classes of its spans.
std::vector<std::string> ScoredLabels(const SampleTable& table, int64_t sample,
                                      LabelKind kind);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_SPLIT_VIEW_H_

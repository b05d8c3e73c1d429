#ifndef MEANFIELD_COORDINATOR_CORPUS_DICTIONARY_BUILDER_H_
#define MEANFIELD_COORDINATOR_CORPUS_DICTIONARY_BUILDER_H_

#include <cstdint>
#include <span>

#include "coordinator/corpus/dictionaries.h"
#include "coordinator/corpus/sample_table.h"

namespace meanfield::corpus {

// "<unk>", then the words that occur `min_frequency` times or more in these
// samples.
Dictionary BuildWords(const SampleTable& table,
                      std::span<const int64_t> samples, int64_t min_frequency);

// Labels, or tags, of these samples, in the order that Dictionaries states.
Dictionary BuildLabels(const SampleTable& table,
                       std::span<const int64_t> samples, LabelKind kind);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_DICTIONARY_BUILDER_H_

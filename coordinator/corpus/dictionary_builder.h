#ifndef MEANFIELD_COORDINATOR_CORPUS_DICTIONARY_BUILDER_H_
#define MEANFIELD_COORDINATOR_CORPUS_DICTIONARY_BUILDER_H_

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "coordinator/corpus/dictionaries.h"
#include "coordinator/corpus/sample_table.h"

namespace meanfield::corpus {

// "<unk>", then the words that occur `min_frequency` times or more in these
// samples.
Dictionary BuildWords(const SampleTable& table,
                      std::span<const int64_t> samples, int64_t min_frequency);

// "<unk>", then the characters (code points) of all words of these samples.
Dictionary BuildCharacters(const SampleTable& table,
                           std::span<const int64_t> samples);

// Labels, or tags, of these samples, in the order that Dictionaries states.
// INVALID_ARGUMENT where a tag has the name of one that a CRF adds.
absl::StatusOr<Dictionary> BuildLabels(const SampleTable& table,
                                       std::span<const int64_t> samples,
                                       LabelKind kind, bool crf);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_DICTIONARY_BUILDER_H_

#ifndef MEANFIELD_COORDINATOR_CORPUS_TEXT_ENCODER_H_
#define MEANFIELD_COORDINATOR_CORPUS_TEXT_ENCODER_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/blob/blob_store.h"
#include "common/tensor/safetensors.h"
#include "coordinator/corpus/dictionaries.h"

namespace meanfield::corpus {

// Splits at runs of Unicode white space (the corpora are pre-tokenised).
std::vector<std::string> Tokenize(std::string_view text);

// The encoded shard of texts to predict (an empty text keeps its place).
absl::StatusOr<Blob> EncodeTexts(const std::vector<std::string>& texts,
                                 const Dictionaries& dictionaries,
                                 BlobStore& blobs);

// One line a text from the output of a PREDICT unit: a classifier's "label TAB
// probability" (multi-label: of each label, the likeliest first, TABs between
// them), a tagger's "token/tag" pairs separated by blanks. INVALID_ARGUMENT
// where the output does not fit.
absl::StatusOr<std::vector<std::string>> DecodePredictions(
    const std::vector<std::string>& texts, const SafetensorsFile& output,
    const Dictionaries& dictionaries);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_TEXT_ENCODER_H_

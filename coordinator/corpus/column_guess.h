#ifndef MEANFIELD_COORDINATOR_CORPUS_COLUMN_GUESS_H_
#define MEANFIELD_COORDINATOR_CORPUS_COLUMN_GUESS_H_

#include <optional>

#include "absl/status/statusor.h"
#include "coordinator/corpus/format_guess.h"
#include "coordinator/corpus/line_sample.h"

namespace meanfield::corpus {

// A sample as a column format; nothing where it does not look like one.
std::optional<FormatGuess> GuessConllu(const LineSample& sample,
                                       const GuessOptions& options);

// CoNLL columns: which is the word, which the tag. Nothing where the rows are
// of many widths or hold running text; an error where the options name columns
// that are not there, or where there is no column of tags.
absl::StatusOr<std::optional<FormatGuess>> GuessConll(
    const LineSample& sample, const GuessOptions& options);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_COLUMN_GUESS_H_

#ifndef MEANFIELD_COORDINATOR_CORPUS_TABLE_GUESS_H_
#define MEANFIELD_COORDINATOR_CORPUS_TABLE_GUESS_H_

#include <optional>

#include "absl/status/statusor.h"
#include "coordinator/corpus/format_guess.h"
#include "coordinator/corpus/line_sample.h"

namespace meanfield::corpus {

// `__label__NAME text` lines; nothing where they are not.
std::optional<FormatGuess> GuessFastText(const LineSample& sample);

// CSV, TSV or `label TAB text`: delimiter, header, which column is the text and
// which the label. Nothing where no delimiter gives rows of one width; an error
// where it is not plain which column is what.
absl::StatusOr<std::optional<FormatGuess>> GuessTable(
    const LineSample& sample, const GuessOptions& options);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_TABLE_GUESS_H_

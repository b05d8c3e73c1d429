#ifndef MEANFIELD_COORDINATOR_CORPUS_FORMAT_GUESS_H_
#define MEANFIELD_COORDINATOR_CORPUS_FORMAT_GUESS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/corpus/text_file.h"
#include "proto/job.pb.h"

namespace meanfield::corpus {

// What the user says instead of leaving it to the guess; empty: guess.
struct GuessOptions {
  std::string format;  // "conll", "conllu", "fasttext", "label_text", "csv"
  std::string text_column;
  std::string label_column;
  std::string delimiter;
  std::string encoding;
  std::optional<bool> header;
};

struct FormatGuess {
  proto::Corpus corpus;  // format and encoding; no files
  bool multi_label = false;
  // What was seen and what may be changed: a sentence each, for comments.
  std::vector<std::string> seen;
};

// What a corpus file is, by its contents. INVALID_ARGUMENT says what was seen
// where it is no corpus that can be read, or where it is not plain which column
// is what, and names the options that decide.
absl::StatusOr<FormatGuess> GuessFormat(const std::string& path,
                                        const GuessOptions& options);
// The same of a file that was opened; its encoding is left out.
absl::StatusOr<FormatGuess> GuessFormat(const TextFile& file,
                                        const GuessOptions& options);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_FORMAT_GUESS_H_

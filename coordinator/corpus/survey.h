#ifndef MEANFIELD_COORDINATOR_CORPUS_SURVEY_H_
#define MEANFIELD_COORDINATOR_CORPUS_SURVEY_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/corpus/corpus_format.h"
#include "coordinator/corpus/dictionaries.h"
#include "coordinator/corpus/loaded_corpus.h"
#include "coordinator/corpus/sample_table.h"

namespace meanfield::corpus {

// The most frequent first; ties bytewise.
using LabelCounts = std::vector<std::pair<std::string, uint64_t>>;

// Words in a text.
struct LengthSurvey {
  uint64_t min = 0;
  uint64_t median = 0;
  double mean = 0;
  uint64_t p95 = 0;
  uint64_t max = 0;
  uint64_t longest_line = 0;  // where the longest text starts
};

// What is in "train", "dev" or "test".
struct SplitSurvey {
  std::string name;
  std::string file;
  bool held_out = false;  // a part of the training file, by the job's seed
  uint64_t texts = 0;
  uint64_t tokens = 0;
  uint64_t words = 0;           // different ones
  uint64_t unknown_tokens = 0;  // whose word the training split lacks
  uint64_t unlabelled = 0;      // multi-label: texts without a label
  LengthSurvey lengths;
  LabelCounts labels;  // of texts, or tags as they stand
  LabelCounts spans;   // classes of spans
};

struct FileSurvey {
  std::string path;
  BadLineCounts bad_lines;
  uint64_t skipped_without_token = 0;
  uint64_t first_skipped_line = 0;
};

// Something that may surprise: how often, and the first few places.
struct Finding {
  std::string kind;  // "duplicates", see findings.h and odd_characters.h
  std::string what;  // of what there are so many: "texts that …"
  uint64_t count = 0;
  std::vector<std::string> examples;  // "file:line: …"
};

struct CorpusSurvey {
  LabelKind label_kind = LabelKind::kDocument;
  bool multi_label = false;
  std::vector<SplitSurvey> splits;  // that are there
  std::vector<FileSurvey> files;
  std::vector<Finding> findings;

  uint64_t num_bad_lines() const;
};

// Reads the files; where the format says FAIL bad lines are left out and
// reported all the same. INVALID_ARGUMENT where a file cannot be read or has no
// text.
absl::StatusOr<CorpusSurvey> SurveyCorpus(CorpusFormat format,
                                          const LoadOptions& options);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_SURVEY_H_

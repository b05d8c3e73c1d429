#ifndef MEANFIELD_COORDINATOR_CORPUS_LINE_SAMPLE_H_
#define MEANFIELD_COORDINATOR_CORPUS_LINE_SAMPLE_H_

#include <string_view>
#include <vector>

#include "coordinator/corpus/text_file.h"

namespace meanfield::corpus {

// The beginning of a file, enough to tell what it is.
struct LineSample {
  std::string_view text;  // whole lines
  std::vector<std::string_view> lines;
  char line_end = '\n';

  // At least half of the lines that hold anything start with `prefix`.
  bool MostStartWith(std::string_view prefix) const;
};
LineSample SampleLines(const TextFile& file);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_LINE_SAMPLE_H_

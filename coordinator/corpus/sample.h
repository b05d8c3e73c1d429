#ifndef MEANFIELD_COORDINATOR_CORPUS_SAMPLE_H_
#define MEANFIELD_COORDINATOR_CORPUS_SAMPLE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace meanfield::corpus {

// A text as read: one sentence of a tagger, one document of a classifier.
struct Sample {
  std::vector<std::string> tokens;
  // Classifiers: one label; multi-label: any number, all different.
  std::vector<std::string> labels;
  std::vector<std::string> tags;  // taggers: one a token
  uint32_t line = 0;              // where it starts in its file, from 1
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_SAMPLE_H_

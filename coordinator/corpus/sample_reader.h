#ifndef MEANFIELD_COORDINATOR_CORPUS_SAMPLE_READER_H_
#define MEANFIELD_COORDINATOR_CORPUS_SAMPLE_READER_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "coordinator/corpus/text_file.h"

namespace meanfield::corpus {

// A text as a reader meets it. Views hold during the call only.
struct SampleView {
  std::span<const std::string_view> tokens;  // may be empty in a classifier's
  std::string_view label;                    // classifiers
  std::span<const std::string_view> tags;    // taggers: one a token
  uint64_t line = 0;                         // where it starts, from 1
  bool starts_document = false;              // after a -DOCSTART- line
};

class SampleSink {
 public:
  virtual ~SampleSink() = default;
  virtual void Add(const SampleView& sample) = 0;
  // A line that is not as the format says: "saw …, expected …".
  virtual void Fault(uint64_t line, std::string what) = 0;
};

// One file format. Stateless; any thread.
class SampleReader {
 public:
  virtual ~SampleReader() = default;

  // Hands on every text of the file, in one pass. A bad line becomes a fault
  // and the reading goes on, so that all faults are reported at once; what
  // Add gets of texts with bad lines is unspecified.
  virtual void Read(const TextFile& file, SampleSink& sink) const = 0;
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_SAMPLE_READER_H_

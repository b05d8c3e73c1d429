#ifndef MEANFIELD_COORDINATOR_CORPUS_SAMPLE_READER_H_
#define MEANFIELD_COORDINATOR_CORPUS_SAMPLE_READER_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "coordinator/corpus/text_file.h"

namespace meanfield::corpus {

// A text as a reader meets it. Views hold during the call only.
struct SampleView {
  std::span<const std::string_view> tokens;  // may be empty in a classifier's
  // Classifiers: one label; multi-label: any number, all different.
  std::span<const std::string_view> labels;
  std::span<const std::string_view> tags;  // taggers: one a token
  uint64_t line = 0;                       // where it starts, from 1
  bool starts_document = false;            // after a -DOCSTART- line
};

class SampleSink {
 public:
  virtual ~SampleSink() = default;
  virtual void Add(const SampleView& sample) = 0;
  // A line that is not as the format says ("saw …, expected …"), because of
  // which its text is left out.
  virtual void Fault(uint64_t line, std::string what) = 0;
  // Such a line that was mended ("saw …, read as …"): its text is handed on.
  virtual void Fixed(uint64_t line, std::string what) = 0;
  // A text that starts here was left out.
  virtual void LeftOut(uint64_t line) = 0;
};

// What a reader does with a line that is not as the format says.
enum class BadLines {
  kLeaveOut,  // and its whole text with it
  kMend,      // where the right value is plain, else as above
};

// One file format. Stateless; any thread.
class SampleReader {
 public:
  virtual ~SampleReader() = default;

  // Hands on every text of the file but those with bad lines. All bad lines
  // are reported, in any order. With kLeaveOut lines whose bytes mean nothing
  // in the file's encoding are bad as well, but not reported here
  // (TextFile::faults has them). An error where the file as a whole is not what
  // the options say: "file:line: saw …, expected …".
  virtual absl::Status Read(const TextFile& file, BadLines policy,
                            SampleSink& sink) const = 0;
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_SAMPLE_READER_H_

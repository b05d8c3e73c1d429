#ifndef MEANFIELD_TESTS_COORDINATOR_CORPUS_RECORDING_SINK_H_
#define MEANFIELD_TESTS_COORDINATOR_CORPUS_RECORDING_SINK_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coordinator/corpus/sample.h"
#include "coordinator/corpus/sample_reader.h"
#include "coordinator/corpus/text_file.h"
#include "gtest/gtest.h"

namespace meanfield::corpus {

// Keeps all that a reader hands on.
class RecordingSink : public SampleSink {
 public:
  void Add(const SampleView& view) override {
    Sample sample;
    sample.tokens.assign(view.tokens.begin(), view.tokens.end());
    sample.labels.assign(view.labels.begin(), view.labels.end());
    sample.tags.assign(view.tags.begin(), view.tags.end());
    sample.line = static_cast<uint32_t>(view.line);
    samples.push_back(std::move(sample));
    documents += view.starts_document ? 1 : 0;
  }
  void Fault(uint64_t line, std::string what) override {
    fault_lines.push_back(line);
    faults.push_back(std::move(what));
  }
  void Fixed(uint64_t line, std::string what) override {
    fixed_lines.push_back(line);
    fixed.push_back(std::move(what));
  }
  void LeftOut(uint64_t line) override { left_out.push_back(line); }

  std::vector<Sample> samples;
  int documents = 0;
  std::vector<uint64_t> fault_lines;
  std::vector<std::string> faults;
  std::vector<uint64_t> fixed_lines;
  std::vector<std::string> fixed;
  std::vector<uint64_t> left_out;
  absl::Status status;
};

inline RecordingSink ReadText(const SampleReader& reader, std::string_view text,
                              BadLines policy = BadLines::kLeaveOut) {
  RecordingSink sink;
  absl::StatusOr<TextFile> file =
      TextFile::FromBytes(std::string(text), "corpus.txt", Encoding::kUtf8);
  EXPECT_TRUE(file.ok()) << file.status();
  if (file.ok()) sink.status = reader.Read(*file, policy, sink);
  return sink;
}

}  // namespace meanfield::corpus

#endif  // MEANFIELD_TESTS_COORDINATOR_CORPUS_RECORDING_SINK_H_

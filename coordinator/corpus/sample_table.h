#ifndef MEANFIELD_COORDINATOR_CORPUS_SAMPLE_TABLE_H_
#define MEANFIELD_COORDINATOR_CORPUS_SAMPLE_TABLE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/corpus/corpus_format.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/sample.h"
#include "coordinator/corpus/sample_reader.h"
#include "coordinator/corpus/string_pool.h"

namespace meanfield::corpus {

// What became of the bad lines of a file that was read all the same.
struct BadLineCounts {
  FaultList left_out;
  FaultList fixed;
  uint64_t texts_left_out = 0;
};

// The texts of one file in compact form: four bytes a token, every distinct
// word and label stored once.
class SampleTable {
 public:
  // Reads a whole file. INVALID_ARGUMENT lists its bad lines as file:line
  // where the format doesn't say to leave them out or to fix them.
  static absl::StatusOr<SampleTable> Load(const std::string& path,
                                          const CorpusFormat& format);
  static absl::StatusOr<SampleTable> Load(const TextFile& file,
                                          const CorpusFormat& format);

  // Texts without a token are only counted.
  void Add(const SampleView& sample);
  // Leaves out the samples whose number is true in `bad` (as many as there are
  // samples) because of the lines in `faults`.
  void LeaveOut(const std::vector<bool>& bad, const FaultList& faults);

  int64_t size() const { return static_cast<int64_t>(lines_.size()); }
  std::span<const int32_t> tokens(int64_t i) const { return Row(tokens_, i); }
  // Taggers: one a token.
  std::span<const int32_t> tags(int64_t i) const { return Row(tags_, i); }
  // Classifiers: one label; multi-label: any number, in the file's order.
  std::span<const int32_t> labels(int64_t i) const;
  uint32_t line(int64_t i) const { return lines_[static_cast<size_t>(i)]; }
  std::vector<std::string_view> TagStrings(int64_t i) const;
  Sample ToSample(int64_t i) const;

  bool tagged() const { return tagged_; }
  const StringPool& words() const { return words_; }
  // Labels, or tags.
  const StringPool& label_names() const { return label_names_; }
  const std::string& path() const { return path_; }
  const std::string& file_hash() const { return file_hash_; }
  // Texts without a token.
  uint64_t num_skipped() const { return num_skipped_; }
  uint64_t first_skipped_line() const { return first_skipped_line_; }
  const BadLineCounts& bad_lines() const { return bad_lines_; }
  // Texts without a token, lines left out and fixed, odd line ends.
  std::vector<std::string> Warnings() const;

 private:
  std::span<const int32_t> Row(const std::vector<int32_t>& flat,
                               int64_t i) const;

  std::string path_;
  std::string file_hash_;
  bool tagged_ = false;
  StringPool words_;
  StringPool label_names_;
  std::vector<int32_t> tokens_;
  std::vector<int32_t> tags_;
  std::vector<int32_t> labels_;
  std::vector<uint64_t> ends_;        // of each sample in tokens_
  std::vector<uint64_t> label_ends_;  // in labels_
  std::vector<uint32_t> lines_;
  uint64_t num_skipped_ = 0;
  uint64_t first_skipped_line_ = 0;
  BadLineCounts bad_lines_;
  bool odd_line_ends_ = false;  // CR, no LF
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_SAMPLE_TABLE_H_

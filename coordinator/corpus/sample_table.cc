#include "coordinator/corpus/sample_table.h"

#include <utility>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/text_file.h"

namespace meanfield::corpus {
namespace {

class TableSink : public SampleSink {
 public:
  explicit TableSink(SampleTable& table) : table_(table) {}
  void Add(const SampleView& sample) override {
    // The table of a file with faults is thrown away.
    if (faults_.empty()) table_.Add(sample);
  }
  void Fault(uint64_t line, std::string what) override {
    faults_.Add(line, std::move(what));
  }
  const FaultList& faults() const { return faults_; }

 private:
  SampleTable& table_;
  FaultList faults_;
};

}  // namespace

absl::StatusOr<SampleTable> SampleTable::Load(const std::string& path,
                                              const CorpusFormat& format) {
  MEANFIELD_ASSIGN_OR_RETURN(const TextFile file,
                             TextFile::Open(path, format.encoding));
  return Load(file, format);
}

absl::StatusOr<SampleTable> SampleTable::Load(const TextFile& file,
                                              const CorpusFormat& format) {
  MEANFIELD_RETURN_IF_ERROR(file.faults().ToStatus(file.name()));
  SampleTable table;
  table.path_ = file.name();
  table.file_hash_ = file.hash();
  table.tagged_ = format.tagged;
  TableSink sink(table);
  format.reader->Read(file, sink);
  MEANFIELD_RETURN_IF_ERROR(sink.faults().ToStatus(file.name()));
  if (file.line_end() == '\r') {
    table.warnings_.push_back(StrCat(
        file.name(), ": has no LF; its CR characters are taken as line ends"));
  }
  if (table.num_skipped_ > 0) {
    table.warnings_.push_back(StrCat(
        file.name(), ":", table.first_skipped_line_, ": ", table.num_skipped_,
        " text(s) without a token skipped, the first here"));
  }
  return table;
}

void SampleTable::Add(const SampleView& sample) {
  if (sample.tokens.empty()) {
    if (num_skipped_++ == 0) first_skipped_line_ = sample.line;
    return;
  }
  for (const std::string_view token : sample.tokens) {
    tokens_.push_back(words_.Intern(token));
  }
  if (tagged_) {
    MEANFIELD_CHECK(sample.tags.size() == sample.tokens.size(),
                    "a tagger's sample needs a tag a token");
    for (const std::string_view tag : sample.tags) {
      tags_.push_back(label_names_.Intern(tag));
    }
  } else {
    labels_.push_back(label_names_.Intern(sample.label));
  }
  ends_.push_back(tokens_.size());
  lines_.push_back(static_cast<uint32_t>(sample.line));
}

std::span<const int32_t> SampleTable::Row(const std::vector<int32_t>& flat,
                                          int64_t i) const {
  const auto at = static_cast<size_t>(i);
  const uint64_t begin = at == 0 ? 0 : ends_[at - 1];
  return std::span(flat).subspan(begin, ends_[at] - begin);
}

std::vector<std::string_view> SampleTable::TagStrings(int64_t i) const {
  std::vector<std::string_view> strings;
  for (const int32_t tag : tags(i)) strings.push_back(label_names_.at(tag));
  return strings;
}

Sample SampleTable::ToSample(int64_t i) const {
  Sample sample;
  sample.line = line(i);
  for (const int32_t token : tokens(i)) {
    sample.tokens.emplace_back(words_.at(token));
  }
  if (tagged_) {
    for (const int32_t tag : tags(i)) {
      sample.tags.emplace_back(label_names_.at(tag));
    }
  } else {
    sample.label = std::string(label_names_.at(label(i)));
  }
  return sample;
}

}  // namespace meanfield::corpus

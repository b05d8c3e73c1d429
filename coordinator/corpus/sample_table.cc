#include "coordinator/corpus/sample_table.h"

#include <utility>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "coordinator/corpus/text_file.h"

namespace meanfield::corpus {
namespace {

class TableSink : public SampleSink {
 public:
  // `keep`: what is read is wanted even where there are faults.
  TableSink(SampleTable& table, bool keep) : table_(table), keep_(keep) {}
  void Add(const SampleView& sample) override {
    if (keep_ || counts_.left_out.empty()) table_.Add(sample);
  }
  void Fault(uint64_t line, std::string what) override {
    counts_.left_out.Add(line, std::move(what));
  }
  void Fixed(uint64_t line, std::string what) override {
    counts_.fixed.Add(line, std::move(what));
  }
  void LeftOut(uint64_t) override { ++counts_.texts_left_out; }

  BadLineCounts& counts() { return counts_; }

 private:
  SampleTable& table_;
  const bool keep_;
  BadLineCounts counts_;
};

std::string Plural(uint64_t count, std::string_view noun) {
  return StrCat(count, " ", noun, count == 1 ? "" : "s");
}

// "file:3: what; file:7: what; …".
std::string FirstFew(const FaultList& faults, const std::string& path) {
  constexpr size_t kFew = 3;
  std::string text;
  for (const FaultList::Fault& fault : faults.kept()) {
    if (&fault - faults.kept().data() == kFew) break;
    StrAppend(&text, text.empty() ? "" : "; ", path, ":", fault.line, ": ",
              fault.what);
  }
  return faults.count() > kFew ? text + "; …" : text;
}

}  // namespace

absl::StatusOr<SampleTable> SampleTable::Load(const std::string& path,
                                              const CorpusFormat& format) {
  MEANFIELD_ASSIGN_OR_RETURN(const TextFile file,
                             TextFile::Open(path, format.encoding));
  return Load(file, format);
}

absl::StatusOr<SampleTable> SampleTable::Load(const TextFile& file,
                                              const CorpusFormat& format) {
  const bool fail = format.on_bad_line == OnBadLine::kFail;
  const bool fix = format.on_bad_line == OnBadLine::kFix;
  if (fail) MEANFIELD_RETURN_IF_ERROR(file.faults().ToStatus(file.name()));
  SampleTable table;
  table.path_ = file.name();
  table.file_hash_ = file.hash();
  table.tagged_ = format.tagged;
  table.odd_line_ends_ = file.line_end() == '\r';
  TableSink sink(table, /*keep=*/!fail);
  MEANFIELD_RETURN_IF_ERROR(format.reader->Read(
      file, fix ? BadLines::kMend : BadLines::kLeaveOut, sink));
  BadLineCounts& counts = sink.counts();
  if (fail) {
    MEANFIELD_RETURN_IF_ERROR(counts.left_out.ToStatus(file.name()));
  }
  (fix ? counts.fixed : counts.left_out).Add(file.faults());
  table.bad_lines_ = std::move(counts);
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
    for (const std::string_view label : sample.labels) {
      labels_.push_back(label_names_.Intern(label));
    }
  }
  ends_.push_back(tokens_.size());
  label_ends_.push_back(labels_.size());
  lines_.push_back(static_cast<uint32_t>(sample.line));
}

void SampleTable::LeaveOut(const std::vector<bool>& bad,
                           const FaultList& faults) {
  MEANFIELD_CHECK(bad.size() == lines_.size(), "one flag a sample");
  SampleTable kept;
  for (size_t i = 0; i < bad.size(); ++i) {
    if (bad[i]) continue;
    const auto sample = static_cast<int64_t>(i);
    for (const int32_t id : tokens(sample)) kept.tokens_.push_back(id);
    if (tagged_) {
      for (const int32_t id : tags(sample)) kept.tags_.push_back(id);
    }
    for (const int32_t id : labels(sample)) kept.labels_.push_back(id);
    kept.ends_.push_back(kept.tokens_.size());
    kept.label_ends_.push_back(kept.labels_.size());
    kept.lines_.push_back(lines_[i]);
  }
  bad_lines_.texts_left_out += lines_.size() - kept.lines_.size();
  bad_lines_.left_out.Add(faults);
  tokens_ = std::move(kept.tokens_);
  tags_ = std::move(kept.tags_);
  labels_ = std::move(kept.labels_);
  ends_ = std::move(kept.ends_);
  label_ends_ = std::move(kept.label_ends_);
  lines_ = std::move(kept.lines_);
}

std::vector<std::string> SampleTable::Warnings() const {
  std::vector<std::string> warnings;
  if (odd_line_ends_) {
    warnings.push_back(
        StrCat(path_, ": has no LF; its CR characters are taken as line ends"));
  }
  if (num_skipped_ > 0) {
    warnings.push_back(StrCat(path_, ":", first_skipped_line_, ": ",
                              num_skipped_,
                              " text(s) without a token skipped, the first "
                              "here"));
  }
  const FaultList& left_out = bad_lines_.left_out;
  if (!left_out.empty()) {
    warnings.push_back(
        StrCat(path_, ": ", Plural(bad_lines_.texts_left_out, "text"),
               " left out because of ", Plural(left_out.count(), "bad line"),
               " (corpus.on_bad_line): ", FirstFew(left_out, path_)));
  }
  const FaultList& fixed = bad_lines_.fixed;
  if (!fixed.empty()) {
    warnings.push_back(
        StrCat(path_, ": ", Plural(fixed.count(), "bad line"),
               " mended (corpus.on_bad_line: FIX): ", FirstFew(fixed, path_)));
  }
  return warnings;
}

std::span<const int32_t> SampleTable::Row(const std::vector<int32_t>& flat,
                                          int64_t i) const {
  const auto at = static_cast<size_t>(i);
  const uint64_t begin = at == 0 ? 0 : ends_[at - 1];
  return std::span(flat).subspan(begin, ends_[at] - begin);
}

std::span<const int32_t> SampleTable::labels(int64_t i) const {
  const auto at = static_cast<size_t>(i);
  const uint64_t begin = at == 0 ? 0 : label_ends_[at - 1];
  return std::span(labels_).subspan(begin, label_ends_[at] - begin);
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
  }
  for (const int32_t label : labels(i)) {
    sample.labels.emplace_back(label_names_.at(label));
  }
  return sample;
}

}  // namespace meanfield::corpus

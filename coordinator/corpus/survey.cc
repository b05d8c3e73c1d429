#include "coordinator/corpus/survey.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "common/base/status.h"
#include "coordinator/corpus/findings.h"
#include "coordinator/corpus/odd_characters.h"
#include "coordinator/corpus/split_view.h"
#include "coordinator/corpus/text_file.h"

namespace meanfield::corpus {
namespace {

LabelCounts ByFrequency(const std::map<std::string, uint64_t>& counts) {
  LabelCounts sorted(counts.begin(), counts.end());
  std::stable_sort(
      sorted.begin(), sorted.end(),
      [](const auto& a, const auto& b) { return a.second > b.second; });
  return sorted;
}

LengthSurvey SurveyLengths(const SplitView& split) {
  std::vector<uint64_t> lengths;
  LengthSurvey survey;
  uint64_t sum = 0;
  for (const int64_t sample : split.samples) {
    const uint64_t length = split.table->tokens(sample).size();
    lengths.push_back(length);
    sum += length;
    if (length > survey.max) {
      survey.max = length;
      survey.longest_line = split.table->line(sample);
    }
  }
  std::sort(lengths.begin(), lengths.end());
  survey.min = lengths.front();
  survey.median = lengths[(lengths.size() - 1) / 2];
  survey.mean = static_cast<double>(sum) / static_cast<double>(lengths.size());
  survey.p95 = lengths[(lengths.size() - 1) * 95 / 100];
  return survey;
}

using WordSet = absl::flat_hash_set<std::string_view>;

WordSet WordsOf(const SplitView& split) {
  WordSet words;
  for (const int64_t sample : split.samples) {
    for (const int32_t token : split.table->tokens(sample)) {
      words.insert(split.table->words().at(token));
    }
  }
  return words;
}

void CountLabels(const SplitView& split, LabelKind kind, SplitSurvey& survey) {
  std::map<std::string, uint64_t> labels;
  std::map<std::string, uint64_t> spans;
  const LabelKind shown = kind == LabelKind::kSpan ? LabelKind::kToken : kind;
  for (const int64_t sample : split.samples) {
    const std::vector<std::string> of_text =
        ScoredLabels(*split.table, sample, shown);
    survey.unlabelled += of_text.empty() ? 1 : 0;
    for (const std::string& label : of_text) ++labels[label];
    if (kind != LabelKind::kSpan) continue;
    for (const std::string& span : ScoredLabels(*split.table, sample, kind)) {
      ++spans[span];
    }
  }
  survey.labels = ByFrequency(labels);
  survey.spans = ByFrequency(spans);
}

SplitSurvey SurveySplit(const SplitView& split, const LoadedCorpus& loaded,
                        const WordSet& known) {
  SplitSurvey survey{
      .name = std::string(split.name),
      .file = split.table->path(),
      .held_out = split.name != "train" && split.table == &loaded.train,
      .texts = split.samples.size(),
      .words = WordsOf(split).size(),
      .lengths = SurveyLengths(split)};
  for (const int64_t sample : split.samples) {
    for (const int32_t token : split.table->tokens(sample)) {
      ++survey.tokens;
      survey.unknown_tokens +=
          known.contains(split.table->words().at(token)) ? 0 : 1;
    }
  }
  CountLabels(split, loaded.label_kind, survey);
  return survey;
}

// Of the file's characters, whatever its format.
absl::Status AddOddCharacters(const std::string& path, Encoding encoding,
                              std::vector<Finding>& findings) {
  MEANFIELD_ASSIGN_OR_RETURN(const TextFile file,
                             TextFile::Open(path, encoding));
  for (Finding& finding : FindOddCharacters(file)) {
    findings.push_back(std::move(finding));
  }
  return absl::OkStatus();
}

}  // namespace

uint64_t CorpusSurvey::num_bad_lines() const {
  uint64_t count = 0;
  for (const FileSurvey& file : files) count += file.bad_lines.left_out.count();
  return count;
}

absl::StatusOr<CorpusSurvey> SurveyCorpus(CorpusFormat format,
                                          const LoadOptions& options) {
  if (format.on_bad_line == OnBadLine::kFail) {
    format.on_bad_line = OnBadLine::kSkip;
  }
  MEANFIELD_ASSIGN_OR_RETURN(const LoadedCorpus loaded,
                             LoadCorpus(format, options));
  CorpusSurvey survey{.label_kind = loaded.label_kind,
                      .multi_label = format.multi_label};
  const std::vector<SplitView> splits = SplitsOf(loaded);
  const WordSet known = WordsOf(splits.front());
  for (const SplitView& split : splits) {
    survey.splits.push_back(SurveySplit(split, loaded, known));
  }
  survey.findings = FindOddTexts(splits, loaded.label_kind);
  for (const SampleTable* table : loaded.tables()) {
    survey.files.push_back({.path = table->path(),
                            .bad_lines = table->bad_lines(),
                            .skipped_without_token = table->num_skipped(),
                            .first_skipped_line = table->first_skipped_line()});
    MEANFIELD_RETURN_IF_ERROR(
        AddOddCharacters(table->path(), format.encoding, survey.findings));
  }
  return survey;
}

}  // namespace meanfield::corpus

#include "coordinator/corpus/evaluation_split.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "absl/strings/str_join.h"
#include "common/base/check.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/metric/spans.h"
#include "coordinator/corpus/evaluation_output.h"
#include "coordinator/corpus/span_tags.h"

namespace meanfield::corpus {
namespace {

double Share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0
                    : static_cast<double>(part) / static_cast<double>(whole);
}

// A field of a TSV row: TABs and line ends become blanks.
void AppendField(std::string_view text, char end, std::string& rows) {
  const size_t begin = rows.size();
  rows.append(text);
  std::replace_if(
      rows.begin() + static_cast<ptrdiff_t>(begin), rows.end(),
      [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  rows.push_back(end);
}

template <typename Tags>
void AppendSentence(const Sample& sample, const Tags& gold,
                    const Tags& predicted, std::string& rows) {
  for (size_t i = 0; i < sample.tokens.size(); ++i) {
    AppendField(sample.tokens[i], '\t', rows);
    AppendField(gold[i], '\t', rows);
    AppendField(predicted[i], '\n', rows);
  }
  rows.push_back('\n');
}

void AppendText(const Sample& sample, std::string_view gold,
                std::string_view predicted, std::string& rows) {
  AppendField(gold, '\t', rows);
  AppendField(predicted, '\t', rows);
  AppendField(absl::StrJoin(sample.tokens, " "), '\n', rows);
}

void ScoreText(const Sample& sample, std::string_view predicted,
               EvaluationStatistics& statistics, std::string& rows) {
  const std::string& gold = sample.labels.front();
  statistics.labels.Add(gold, predicted);
  AppendText(sample, gold, predicted, rows);
}

std::string JoinLabels(const std::set<std::string_view>& labels) {
  std::string joined;
  for (const std::string_view label : labels) {
    StrAppend(&joined, joined.empty() ? "" : "|", label);
  }
  return joined;
}

// Of a text with any number of labels each is a key of its own.
void ScoreLabels(const Sample& sample,
                 const std::set<std::string_view>& predicted,
                 EvaluationStatistics& statistics, std::string& rows) {
  const std::set<std::string_view> gold(sample.labels.begin(),
                                        sample.labels.end());
  for (const std::string_view label : gold) {
    statistics.labels.Add(label, predicted.contains(label) ? label : "");
  }
  for (const std::string_view label : predicted) {
    if (!gold.contains(label)) statistics.labels.Add("", label);
  }
  // Flair's accuracy is over the texts with a label on either side.
  if (!gold.empty() || !predicted.empty()) {
    ++statistics.labelled_texts;
    statistics.exact_texts += gold == predicted ? 1 : 0;
  }
  AppendText(sample, JoinLabels(gold), JoinLabels(predicted), rows);
}

void ScoreTokens(const Sample& sample,
                 const std::vector<std::string_view>& gold,
                 const std::vector<std::string_view>& predicted,
                 EvaluationStatistics& statistics, std::string& rows) {
  for (size_t i = 0; i < gold.size(); ++i) {
    statistics.labels.Add(gold[i], predicted[i]);
  }
  AppendSentence(sample, gold, predicted, rows);
}

void ScoreSpans(const Sample& sample, const std::vector<std::string_view>& gold,
                const std::vector<std::string_view>& predicted,
                EvaluationStatistics& statistics, std::string& rows) {
  const std::vector<LabeledSpan> gold_spans = GoldSpans(gold);
  const std::vector<LabeledSpan> predicted_spans = DecodeSpans(predicted);
  AddSpans(gold_spans, predicted_spans, statistics.labels);
  const std::vector<std::string> tags = ToBioes(gold_spans, gold.size());
  for (size_t i = 0; i < tags.size(); ++i) {
    statistics.correct_tokens += tags[i] == predicted[i] ? 1 : 0;
  }
  statistics.tokens += tags.size();
  AppendSentence(sample, ToBio(gold_spans, gold.size()),
                 ToBio(predicted_spans, gold.size()), rows);
}

}  // namespace

EvaluationSplit::EvaluationSplit(std::vector<Sample> samples,
                                 std::vector<uint64_t> shard_sizes,
                                 const Dictionaries& dictionaries)
    : samples_(std::move(samples)),
      labels_(dictionaries.labels),
      label_kind_(dictionaries.label_kind),
      multi_label_(dictionaries.multi_label) {
  shard_begins_ = {0};
  for (const uint64_t size : shard_sizes) {
    shard_begins_.push_back(shard_begins_.back() + size);
  }
  MEANFIELD_CHECK(shard_begins_.back() == samples_.size(),
                  "shards must hold every sample of the split once");
}

uint64_t EvaluationSplit::NumItems(std::span<const Sample> samples) const {
  if (label_kind_ == LabelKind::kDocument) return samples.size();
  uint64_t items = 0;
  for (const Sample& sample : samples) items += sample.tokens.size();
  return items;
}

absl::Status EvaluationSplit::Score(uint32_t shard,
                                    const SafetensorsFile& output,
                                    EvaluationStatistics& statistics,
                                    std::string& rows) const {
  MEANFIELD_CHECK(shard + 1 < shard_begins_.size(), "no such shard");
  const std::span<const Sample> samples = std::span(samples_).subspan(
      shard_begins_[shard], shard_begins_[shard + 1] - shard_begins_[shard]);
  const uint64_t items = NumItems(samples);
  MEANFIELD_ASSIGN_OR_RETURN(
      const PredictedLabels predicted,
      ReadPredictedLabels(output, {.items = items,
                                   .num_labels = labels_.size(),
                                   .multi_label = multi_label_}));
  MEANFIELD_ASSIGN_OR_RETURN(const BatchLosses losses,
                             ReadBatchLosses(output, items));
  for (size_t i = 0; i < losses.loss.size(); ++i) {
    statistics.loss.sum += losses.loss[i];
    statistics.loss.count += static_cast<uint64_t>(losses.items[i]);
  }
  size_t item = 0;
  for (const Sample& sample : samples) {
    if (label_kind_ == LabelKind::kDocument) {
      ScoreDocument(sample, predicted.Of(item++), statistics, rows);
    } else {
      const size_t tokens = sample.tokens.size();
      ScoreSentence(sample, predicted.ids.subspan(item, tokens), statistics,
                    rows);
      item += tokens;
    }
  }
  return absl::OkStatus();
}

void EvaluationSplit::ScoreDocument(const Sample& sample,
                                    std::span<const int32_t> predicted,
                                    EvaluationStatistics& statistics,
                                    std::string& rows) const {
  if (!multi_label_) {
    return ScoreText(sample, labels_.item(predicted.front()), statistics, rows);
  }
  std::set<std::string_view> labels;
  for (const int32_t id : predicted) labels.insert(labels_.item(id));
  ScoreLabels(sample, labels, statistics, rows);
}

void EvaluationSplit::ScoreSentence(const Sample& sample,
                                    std::span<const int32_t> predicted,
                                    EvaluationStatistics& statistics,
                                    std::string& rows) const {
  const std::vector<std::string_view> gold(sample.tags.begin(),
                                           sample.tags.end());
  std::vector<std::string_view> tags;
  for (const int32_t id : predicted) tags.push_back(labels_.item(id));
  const auto score = label_kind_ == LabelKind::kSpan ? ScoreSpans : ScoreTokens;
  score(sample, gold, tags, statistics, rows);
}

std::vector<std::pair<std::string, double>> EvaluationSplit::Scores(
    const EvaluationStatistics& statistics) const {
  const LabelStatistics& labels = statistics.labels;
  if (label_kind_ != LabelKind::kSpan && !multi_label_) {
    return {{"accuracy", labels.Accuracy()},
            {"macro_f1", labels.MacroF1()},
            {"weighted_f1", labels.WeightedF1()},
            {"micro_f1", labels.MicroF1()}};
  }
  std::vector<std::pair<std::string, double>> scores = {
      {"micro_f1", labels.MicroF1()},
      {"macro_f1", labels.MacroF1()},
      {"weighted_f1", labels.WeightedF1()},
      {"micro_precision", labels.MicroPrecision()},
      {"micro_recall", labels.MicroRecall()}};
  if (multi_label_) {
    scores.emplace_back(
        "accuracy", Share(statistics.exact_texts, statistics.labelled_texts));
  } else {
    scores.emplace_back("accuracy", labels.Accuracy());
    scores.emplace_back("token_accuracy",
                        Share(statistics.correct_tokens, statistics.tokens));
  }
  return scores;
}

}  // namespace meanfield::corpus

#include "coordinator/corpus/evaluation_split.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "absl/strings/str_join.h"
#include "common/base/check.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/metric/spans.h"
#include "common/tensor/dtype.h"
#include "coordinator/corpus/span_tags.h"

namespace meanfield::corpus {
namespace {

// What a unit's output says, sizes and ids checked.
struct Output {
  std::span<const int32_t> predictions;
  std::span<const double> batch_loss;
  std::span<const int64_t> batch_items;
};

absl::Status CheckOutput(const Output& output, uint64_t items,
                         int32_t num_labels) {
  if (output.predictions.size() != items) {
    return absl::InvalidArgumentError(StrCat("evaluation output has ",
                                             output.predictions.size(),
                                             " predictions, expected ", items));
  }
  for (const int32_t id : output.predictions) {
    if (id < 0 || id >= num_labels) {
      return absl::InvalidArgumentError(
          StrCat("evaluation output predicts label id ", id, ", expected 0 … ",
                 num_labels - 1));
    }
  }
  if (output.batch_loss.size() != output.batch_items.size()) {
    return absl::InvalidArgumentError(StrCat(
        "evaluation output has ", output.batch_loss.size(), " batch_loss and ",
        output.batch_items.size(), " batch_items, expected the same number"));
  }
  uint64_t counted = 0;
  for (const int64_t count : output.batch_items) {
    if (count < 1 || static_cast<uint64_t>(count) > items - counted) {
      return absl::InvalidArgumentError(StrCat(
          "evaluation output has a batch of ", count,
          " items, expected batches of 1 or more that add up to ", items));
    }
    counted += static_cast<uint64_t>(count);
  }
  if (counted != items) {
    return absl::InvalidArgumentError(
        StrCat("evaluation output's batches hold ", counted,
               " items, expected ", items));
  }
  return absl::OkStatus();
}

absl::StatusOr<Output> ReadOutput(const SafetensorsFile& file, uint64_t items,
                                  int32_t num_labels) {
  MEANFIELD_ASSIGN_OR_RETURN(const TensorView predictions,
                             file.Get("predictions", DType::kI32, 1));
  MEANFIELD_ASSIGN_OR_RETURN(const TensorView loss,
                             file.Get("batch_loss", DType::kF64, 1));
  MEANFIELD_ASSIGN_OR_RETURN(const TensorView counts,
                             file.Get("batch_items", DType::kI64, 1));
  const Output output{.predictions = predictions.As<int32_t>(),
                      .batch_loss = loss.As<double>(),
                      .batch_items = counts.As<int64_t>()};
  MEANFIELD_RETURN_IF_ERROR(CheckOutput(output, items, num_labels));
  return output;
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

void ScoreText(const Sample& sample, std::string_view predicted,
               EvaluationStatistics& statistics, std::string& rows) {
  statistics.labels.Add(sample.label, predicted);
  AppendField(sample.label, '\t', rows);
  AppendField(predicted, '\t', rows);
  AppendField(absl::StrJoin(sample.tokens, " "), '\n', rows);
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
      label_kind_(dictionaries.label_kind) {
  shard_begins_ = {0};
  for (const uint64_t size : shard_sizes) {
    shard_begins_.push_back(shard_begins_.back() + size);
  }
  MEANFIELD_CHECK(shard_begins_.back() == samples_.size(),
                  "shards must hold every sample of the split once");
}

absl::Status EvaluationSplit::Score(uint32_t shard,
                                    const SafetensorsFile& output,
                                    EvaluationStatistics& statistics,
                                    std::string& rows) const {
  MEANFIELD_CHECK(shard + 1 < shard_begins_.size(), "no such shard");
  const std::span<const Sample> samples = std::span(samples_).subspan(
      shard_begins_[shard], shard_begins_[shard + 1] - shard_begins_[shard]);
  uint64_t items = 0;
  for (const Sample& sample : samples) {
    items += label_kind_ == LabelKind::kDocument ? 1 : sample.tokens.size();
  }
  MEANFIELD_ASSIGN_OR_RETURN(const Output read,
                             ReadOutput(output, items, labels_.size()));
  for (size_t i = 0; i < read.batch_loss.size(); ++i) {
    statistics.loss.sum += read.batch_loss[i];
    statistics.loss.count += static_cast<uint64_t>(read.batch_items[i]);
  }
  auto next = read.predictions.begin();
  for (const Sample& sample : samples) {
    if (label_kind_ == LabelKind::kDocument) {
      ScoreText(sample, labels_.item(*next++), statistics, rows);
      continue;
    }
    const std::vector<std::string_view> gold(sample.tags.begin(),
                                             sample.tags.end());
    std::vector<std::string_view> predicted;
    for (size_t i = 0; i < gold.size(); ++i) {
      predicted.push_back(labels_.item(*next++));
    }
    const auto score =
        label_kind_ == LabelKind::kSpan ? ScoreSpans : ScoreTokens;
    score(sample, gold, predicted, statistics, rows);
  }
  return absl::OkStatus();
}

std::vector<std::pair<std::string, double>> EvaluationSplit::Scores(
    LabelKind kind, const EvaluationStatistics& statistics) {
  const LabelStatistics& labels = statistics.labels;
  if (kind != LabelKind::kSpan) {
    return {{"accuracy", labels.Accuracy()},
            {"macro_f1", labels.MacroF1()},
            {"weighted_f1", labels.WeightedF1()},
            {"micro_f1", labels.MicroF1()}};
  }
  const double token_accuracy =
      statistics.tokens == 0 ? 0
                             : static_cast<double>(statistics.correct_tokens) /
                                   static_cast<double>(statistics.tokens);
  return {{"micro_f1", labels.MicroF1()},
          {"macro_f1", labels.MacroF1()},
          {"weighted_f1", labels.WeightedF1()},
          {"micro_precision", labels.MicroPrecision()},
          {"micro_recall", labels.MicroRecall()},
          {"accuracy", labels.Accuracy()},
          {"token_accuracy", token_accuracy}};
}

}  // namespace meanfield::corpus

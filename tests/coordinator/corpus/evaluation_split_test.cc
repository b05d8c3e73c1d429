#include "coordinator/corpus/evaluation_split.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/random.h"
#include "coordinator/corpus/split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_folder.h"

namespace meanfield::corpus {
namespace {

using ::meanfield::testing::StatusIs;
using ::meanfield::testing::TemporaryFolder;
using ::testing::HasSubstr;

Dictionaries Labels(LabelKind kind, std::vector<std::string> labels) {
  return {.labels = Dictionary(std::move(labels)), .label_kind = kind};
}

Sample Text(std::string label) {
  return {.tokens = {"some", "text"}, .labels = {std::move(label)}};
}

Sample Sentence(std::vector<std::string> tags) {
  Sample sample{.tags = std::move(tags)};
  for (size_t i = 0; i < sample.tags.size(); ++i) {
    sample.tokens.push_back("t" + std::to_string(i));
  }
  return sample;
}

// The output of an EVALUATE unit.
class OutputFile {
 public:
  OutputFile(const std::vector<int32_t>& predictions,
             const std::vector<double>& loss, const std::vector<int64_t>& items,
             const std::optional<std::vector<int64_t>>& offsets = std::nullopt)
      : path_(folder_.File("output")) {
    const auto view = [](std::string name, const auto& values) {
      using T = std::decay_t<decltype(values[0])>;
      return TensorView{
          .spec = {.name = std::move(name),
                   .dtype = DTypeOf<T>(),
                   .shape = {static_cast<int64_t>(values.size())}},
          .bytes = std::as_bytes(std::span(values))};
    };
    std::vector<TensorView> tensors = {view("predictions", predictions),
                                       view("batch_loss", loss),
                                       view("batch_items", items)};
    if (offsets) tensors.push_back(view("prediction_offsets", *offsets));
    EXPECT_OK(WriteSafetensors(path_, tensors));
  }
  SafetensorsFile Open() const { return *SafetensorsFile::Open(path_); }

 private:
  const TemporaryFolder folder_;
  const std::string path_;
};

std::map<std::string, double> ScoreMap(const EvaluationSplit& split,
                                       const EvaluationStatistics& statistics) {
  const auto scores = split.Scores(statistics);
  return {scores.begin(), scores.end()};
}

TEST(EvaluationSplit, Classifier_CountsUnknownAsAClassOfItsOwn) {
  const EvaluationSplit split(
      {Text("a"), Text("a"), Text("only in dev")}, {3},
      Labels(LabelKind::kDocument, {"<unk>", "a", "b"}));
  EvaluationStatistics statistics;
  std::string rows;
  ASSERT_OK(split.Score(0, OutputFile({1, 0, 0}, {3.0}, {3}).Open(), statistics,
                        rows));

  const auto scores = ScoreMap(split, statistics);
  EXPECT_DOUBLE_EQ(scores.at("accuracy"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(scores.at("micro_f1"), 1.0 / 3);
  // "a" has 2/3; "<unk>" and "only in dev" have 0.
  EXPECT_DOUBLE_EQ(scores.at("macro_f1"), 2.0 / 9);
  EXPECT_DOUBLE_EQ(statistics.loss.Mean(), 1.0);
  EXPECT_EQ(rows,
            "a\ta\tsome text\na\t<unk>\tsome text\n"
            "only in dev\t<unk>\tsome text\n");
}

TEST(EvaluationSplit, TokenTagger_CountsEveryToken) {
  const EvaluationSplit split({Sentence({"O", "N"}), Sentence({"N"})}, {2},
                              Labels(LabelKind::kToken, {"<unk>", "N", "O"}));
  EvaluationStatistics statistics;
  std::string rows;
  ASSERT_OK(split.Score(0, OutputFile({2, 1, 2}, {1.0}, {3}).Open(), statistics,
                        rows));
  EXPECT_DOUBLE_EQ(ScoreMap(split, statistics).at("accuracy"), 2.0 / 3);
  EXPECT_EQ(rows, "t0\tO\tO\nt1\tN\tN\n\nt0\tN\tO\n\n");
}

TEST(EvaluationSplit, SpanTagger_ScoresSpansOfAnyGoldScheme) {
  const EvaluationSplit split(
      {Sentence({"I-A", "I-A", "O"}), Sentence({"S-A", "I-A", "O"})}, {2},
      Labels(LabelKind::kSpan, {"O", "S-A", "B-A", "E-A", "I-A"}));
  EvaluationStatistics statistics;
  std::string rows;
  ASSERT_OK(split.Score(0, OutputFile({2, 3, 1, 1, 0, 0}, {1.0}, {6}).Open(),
                        statistics, rows));

  const auto scores = ScoreMap(split, statistics);
  EXPECT_DOUBLE_EQ(scores.at("micro_precision"), 2.0 / 3);
  EXPECT_DOUBLE_EQ(scores.at("micro_recall"), 2.0 / 3);
  EXPECT_DOUBLE_EQ(scores.at("accuracy"), 2.0 / 4);
  EXPECT_DOUBLE_EQ(scores.at("token_accuracy"), 4.0 / 6);
  EXPECT_EQ(rows,
            "t0\tB-A\tB-A\nt1\tI-A\tI-A\nt2\tO\tB-A\n\n"
            "t0\tB-A\tB-A\nt1\tB-A\tO\nt2\tO\tO\n\n");
}

Dictionaries MultiLabels(std::vector<std::string> labels) {
  Dictionaries dictionaries = Labels(LabelKind::kDocument, std::move(labels));
  dictionaries.multi_label = true;
  return dictionaries;
}

TEST(EvaluationSplit, MultiLabel_CountsLabelsAndExactTexts) {
  const auto text = [](std::vector<std::string> labels) {
    return Sample{.tokens = {"t"}, .labels = std::move(labels)};
  };
  const EvaluationSplit split({text({"b", "a"}), text({}), text({"a"}),
                               text({}), text({"only in dev"})},
                              {5}, MultiLabels({"<unk>", "a", "b"}));
  EvaluationStatistics statistics;
  std::string rows;
  // a and b; none; b; a; none.
  ASSERT_OK(split.Score(
      0, OutputFile({1, 2, 2, 1}, {2.5}, {5}, {{0, 2, 2, 3, 4, 4}}).Open(),
      statistics, rows));

  const auto scores = ScoreMap(split, statistics);
  // TP: a, b of text 1. FP: b of 3, a of 4. FN: a of 3, the unknown of 5.
  EXPECT_DOUBLE_EQ(scores.at("micro_precision"), 2.0 / 4);
  EXPECT_DOUBLE_EQ(scores.at("micro_recall"), 2.0 / 4);
  EXPECT_DOUBLE_EQ(scores.at("micro_f1"), 0.5);
  // a: 2 / (2 + 1 + 1), b: 2 / (2 + 1), "only in dev": 0.
  EXPECT_DOUBLE_EQ(scores.at("macro_f1"), (0.5 + 2.0 / 3) / 3);
  EXPECT_DOUBLE_EQ(scores.at("accuracy"), 1.0 / 4);  // text 2 does not count
  EXPECT_EQ(rows, "a|b\ta|b\tt\n\t\tt\na\tb\tt\n\ta\tt\nonly in dev\t\tt\n");
}

TEST(EvaluationSplit, MultiLabelOutputThatDoesNotFit_IsRefused) {
  const EvaluationSplit split({Text("a"), Text("a")}, {2},
                              MultiLabels({"<unk>", "a", "b"}));
  const auto score = [&](std::vector<int32_t> ids,
                         std::vector<int64_t> offsets) {
    EvaluationStatistics statistics;
    std::string rows;
    return split.Score(0, OutputFile(ids, {1}, {2}, offsets).Open(), statistics,
                       rows);
  };
  const auto invalid = [](std::string_view part) {
    return StatusIs(absl::StatusCode::kInvalidArgument,
                    HasSubstr(std::string(part)));
  };
  EXPECT_OK(score({1, 2}, {0, 0, 2}));
  EXPECT_THAT(score({1, 2}, {0, 2}), invalid("2 prediction_offsets for 2"));
  EXPECT_THAT(score({1, 2}, {0, 1, 1}), invalid("prediction_offsets for 2"));
  EXPECT_THAT(score({1, 2}, {1, 1, 2}), invalid("prediction_offsets for 2"));
  EXPECT_THAT(score({1, 2}, {0, 3, 2}), invalid("that fall after 1"));
  EXPECT_THAT(score({1, 2}, {0, -1, 2}), invalid("that fall after 0"));
  EXPECT_THAT(score({2, 1}, {0, 2, 2}), invalid("text 0 that do not rise"));
  EXPECT_THAT(score({2, 2}, {0, 2, 2}), invalid("text 0 that do not rise"));
  EXPECT_THAT(score({2, 3}, {0, 1, 2}), invalid("label id 3"));
}

TEST(EvaluationSplit, AnyNumberOfShards_GivesIdenticalScoresAndLoss) {
  constexpr int kSamples = 101;
  constexpr int kBatch = 4;
  CounterRng rng(7);
  std::vector<Sample> samples;
  std::vector<int32_t> predictions;
  for (int i = 0; i < kSamples; ++i) {
    samples.push_back(
        Text(std::string(1, static_cast<char>('a' + rng.Below(5)))));
    predictions.push_back(static_cast<int32_t>(rng.Below(6)));
  }
  std::vector<double> losses;
  for (int i = 0; i < (kSamples + kBatch - 1) / kBatch; ++i) {
    losses.push_back(1e-3 * static_cast<double>(rng() >> 12));
  }
  std::vector<std::string> results;
  for (const uint32_t shards : {1, 2, 3, 7}) {
    const std::vector<uint64_t> sizes =
        CutIntoBatchRuns(kSamples, kBatch, shards);
    const EvaluationSplit split(
        samples, sizes,
        Labels(LabelKind::kDocument, {"<unk>", "a", "b", "c", "d", "e"}));
    EvaluationStatistics statistics;
    std::string rows;
    size_t next = 0;
    size_t next_batch = 0;
    for (uint32_t shard = 0; shard < sizes.size(); ++shard) {
      const auto size = static_cast<size_t>(sizes[shard]);
      std::vector<int64_t> items;
      std::vector<double> loss;
      for (size_t left = size; left > 0;
           left -= static_cast<size_t>(items.back())) {
        items.push_back(static_cast<int64_t>(std::min<size_t>(left, kBatch)));
        loss.push_back(losses[next_batch++]);
      }
      const auto begin = predictions.begin() + static_cast<ptrdiff_t>(next);
      ASSERT_OK(split.Score(
          shard,
          OutputFile({begin, begin + static_cast<ptrdiff_t>(size)}, loss, items)
              .Open(),
          statistics, rows));
      next += size;
    }
    char result[200];
    std::snprintf(result, sizeof(result), "%a %a %a", statistics.loss.Mean(),
                  statistics.labels.MacroF1(), statistics.labels.Accuracy());
    results.push_back(result + rows);
  }
  EXPECT_THAT(results, ::testing::Each(results[0]));
}

TEST(EvaluationSplit, OutputThatDoesNotFit_IsRefusedAndAddsNothing) {
  const EvaluationSplit split({Text("a"), Text("a")}, {2},
                              Labels(LabelKind::kDocument, {"<unk>", "a"}));
  EvaluationStatistics statistics;
  std::string rows;
  const auto score = [&](std::vector<int32_t> predictions,
                         std::vector<double> loss, std::vector<int64_t> items) {
    return split.Score(0, OutputFile(predictions, loss, items).Open(),
                       statistics, rows);
  };
  const auto invalid = [](std::string_view part) {
    return StatusIs(absl::StatusCode::kInvalidArgument,
                    HasSubstr(std::string(part)));
  };
  EXPECT_THAT(score({1}, {1}, {2}), invalid("has 1 predictions, expected 2"));
  EXPECT_THAT(score({1, 2}, {1}, {2}), invalid("label id 2, expected 0 … 1"));
  EXPECT_THAT(score({1, -1}, {1}, {2}), invalid("label id -1"));
  EXPECT_THAT(score({1, 1}, {1}, {1, 1}), invalid("1 batch_loss and 2"));
  EXPECT_THAT(score({1, 1}, {1}, {3}), invalid("a batch of 3 items"));
  EXPECT_THAT(score({1, 1}, {1, 1}, {2, 0}), invalid("a batch of 0 items"));
  EXPECT_THAT(score({1, 1}, {1}, {1}), invalid("batches that hold 1 items"));
  EXPECT_EQ(statistics.labels.keys(), 0u);
  EXPECT_EQ(rows, "");
}

}  // namespace
}  // namespace meanfield::corpus

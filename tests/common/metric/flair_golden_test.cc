// Numbers that Flair 0.15.1 computed (with scikit-learn).
#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "common/metric/label_statistics.h"
#include "common/metric/spans.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/temporary_folder.h"

namespace meanfield {
namespace {

using ::nlohmann::json;

// One ulp apart at most: scikit-learn divides in another order.
constexpr double kTolerance = 2e-15;

json Golden(const std::string& name) {
  std::ifstream in(testing::SharedFolder() + "/golden/" + name);
  return json::parse(in);
}

std::vector<LabeledSpan> SpansOf(const json& triples) {
  std::vector<LabeledSpan> spans;
  for (const json& triple : triples) {
    spans.push_back({triple[0], triple[1], triple[2]});
  }
  return spans;
}

class FlairGoldenTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::SharedFolder().empty()) {
      GTEST_SKIP() << "the golden numbers are not on this machine";
    }
  }

  // Statistics of the fixture's sentences, counted in `shards` parts.
  LabelStatistics Count(size_t shards) {
    std::vector<LabelStatistics> parts(shards);
    const json sentences = Golden("flair_span_f1.json")["sentences"];
    for (size_t i = 0; i < sentences.size(); ++i) {
      AddSpans(SpansOf(sentences[i]["gold"]), SpansOf(sentences[i]["pred"]),
               parts[i * shards / sentences.size()]);
    }
    LabelStatistics whole;
    for (const LabelStatistics& part : parts) whole.Merge(part);
    return whole;
  }
};

TEST_F(FlairGoldenTest, DecodeSpans_AgreesOnEveryCase) {
  const json cases = Golden("flair_0.15.1.json")["get_spans_from_bio"];
  ASSERT_EQ(cases.size(), 11);
  for (const json& c : cases) {
    const auto tags = c["tags"].get<std::vector<std::string>>();
    std::vector<LabeledSpan> expected;
    for (const json& span : c["spans"]) {
      expected.push_back(
          {span[0].front(), span[0].back().get<int64_t>() + 1, span[1]});
    }
    EXPECT_EQ(
        DecodeSpans(std::vector<std::string_view>(tags.begin(), tags.end())),
        expected)
        << c["tags"];
  }
}

TEST_F(FlairGoldenTest, SpanScores_AgreeWithTheReport) {
  const LabelStatistics s = Count(1);

  EXPECT_EQ(s.keys(), 112);
  EXPECT_EQ(s.Accuracy(), 0.5625);
  EXPECT_NEAR(s.MicroPrecision(), 0.7325581395348837, kTolerance);
  EXPECT_NEAR(s.MicroRecall(), 0.65625, kTolerance);
  EXPECT_NEAR(s.MicroF1(), 0.6923076923076923, kTolerance);
  EXPECT_NEAR(s.MacroF1(), 0.6841097407135143, kTolerance);
  EXPECT_NEAR(s.WeightedF1(), 0.6896633677294055, kTolerance);
}

TEST_F(FlairGoldenTest, ClassScores_AgreeWithTheReport) {
  struct Row {
    const char* label;
    uint64_t tp, fp, fn;
    double precision, recall, f1;
  };
  const Row rows[] = {
      {"PER", 26, 5, 9, 0.8387096774193549, 0.7428571428571429,
       0.787878787878788},
      {"LOC", 22, 10, 9, 0.6875, 0.7096774193548387, 0.6984126984126984},
      {"ORG", 15, 8, 15, 0.6521739130434783, 0.5, 0.5660377358490566}};

  const std::vector<LabelStatistics::ClassScores> classes = Count(1).Classes();

  ASSERT_EQ(classes.size(), 3);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(classes[i].label, rows[i].label);
    EXPECT_EQ(classes[i].true_positives, rows[i].tp);
    EXPECT_EQ(classes[i].false_positives, rows[i].fp);
    EXPECT_EQ(classes[i].false_negatives, rows[i].fn);
    EXPECT_NEAR(classes[i].precision, rows[i].precision, kTolerance);
    EXPECT_NEAR(classes[i].recall, rows[i].recall, kTolerance);
    EXPECT_NEAR(classes[i].f1, rows[i].f1, kTolerance);
  }
}

TEST_F(FlairGoldenTest, AnyNumberOfShards_GivesTheIdenticalScores) {
  const LabelStatistics whole = Count(1);

  // 100 shards of 60 sentences: some have none.
  for (const size_t shards : {2, 3, 7, 60, 100}) {
    const LabelStatistics s = Count(shards);
    EXPECT_EQ(s.keys(), whole.keys()) << shards;
    EXPECT_EQ(s.Accuracy(), whole.Accuracy()) << shards;
    EXPECT_EQ(s.MicroF1(), whole.MicroF1()) << shards;
    EXPECT_EQ(s.MacroF1(), whole.MacroF1()) << shards;
    EXPECT_EQ(s.WeightedF1(), whole.WeightedF1()) << shards;
  }
}

}  // namespace
}  // namespace meanfield

// Stacked embeddings, CRF, recurrent classifiers with several labels a text:
// from files to predictions, with real processes.
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/random.h"
#include "common/tensor/safetensors.h"
#include "gmock/gmock.h"
#include "tests/integration/training_fixture.h"
#include "tests/support/status_matchers.h"

namespace meanfield::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Sentences in which a name is what ends in "son" and its first names before
// it: to be seen in the characters only.
std::string NamedSentences(int count, uint64_t seed) {
  CounterRng rng(seed);
  std::string text;
  for (int i = 0; i < count; ++i) {
    for (uint64_t word = 0; word < 6; ++word) {
      const uint64_t id = rng.Below(1000);
      if (rng.Below(4) == 0) {
        absl::StrAppend(&text, "First", id, "\tB-PER\nLast", id,
                        "son\tI-PER\n");
      } else {
        absl::StrAppend(&text, "word", id % 50, "\tO\n");
      }
    }
    text += "\n";
  }
  return text;
}

// Texts with the words of each of their labels.
std::string LabelledTexts(int count, uint64_t seed) {
  CounterRng rng(seed);
  std::string text;
  for (int i = 0; i < count; ++i) {
    std::string words;
    for (const char label : {'a', 'b', 'c'}) {
      if (rng.Below(2) == 0) continue;
      absl::StrAppend(&text, "__label__", std::string(1, label), " ");
      absl::StrAppend(&words, " ", std::string(1, label), rng.Below(4));
    }
    absl::StrAppend(&text, "w", rng.Below(9), words, "\n");
  }
  return text;
}

struct Span {
  size_t line;  // of its first token
  size_t length;
  std::string label;
  auto operator<=>(const Span&) const = default;
};

// As conlleval reads a column of B-, I- and O.
std::set<Span> SpansOf(const std::vector<std::vector<std::string>>& rows,
                       size_t column) {
  std::set<Span> spans;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].empty() || rows[i][column][0] != 'B') continue;
    size_t end = i + 1;
    while (end < rows.size() && !rows[end].empty() &&
           rows[end][column][0] == 'I') {
      ++end;
    }
    spans.insert({i, end - i, rows[i][column].substr(2)});
  }
  return spans;
}

class FullModelsTest : public TrainingTest {
 protected:
  FullModelsTest() {
    folder_.Write("ner.train", NamedSentences(200, 11));
    folder_.Write("ner.dev", NamedSentences(40, 12));
    folder_.Write("topics.train", LabelledTexts(400, 13));
    folder_.Write("topics.dev", LabelledTexts(80, 14));
    std::string vectors = "50 3\n";
    for (int i = 0; i < 50; ++i) {
      absl::StrAppend(&vectors, "word", i, " 1 0.5 -", i, "\n");
    }
    folder_.Write("vectors.txt", vectors);
  }
  std::string NerJob(const std::string& vectors) const {
    return folder_.Write(
        "ner.textproto",
        absl::StrCat("shards: 2 task { corpus { conll { train: \"ner.train\" "
                     "dev: \"ner.dev\" label_column: 1 } } model { "
                     "sequence_tagger { embeddings { word_vectors { file: "
                     "\"vectors.txt\" ",
                     vectors,
                     "} } embeddings { characters {} } rnn { hidden_size: 24 } "
                     "crf: true } } training { batch_size: 8 sgd { "
                     "learning_rate: 0.1 } max_grad_norm: 5 } } stop { "
                     "max_rounds: 6 }"));
  }
  std::string TopicsJob() const {
    return folder_.Write(
        "topics.textproto",
        "shards: 2 task { corpus { fasttext { train: \"topics.train\" dev: "
        "\"topics.dev\" } } model { text_classifier { embeddings { one_hot { "
        "embedding_size: 16 min_frequency: 1 } } rnn { type: GRU hidden_size: "
        "24 bidirectional: true } dropout: 0.1 multi_label: true label_weights "
        "{ label: \"a\" weight: 1.5 } } } training { batch_size: 8 "
        "micro_batch_size: 4 adam { learning_rate: 0.01 } linear_decay { "
        "warmup_fraction: 0.25 } } } stop { max_rounds: 8 }");
  }
  std::vector<std::vector<std::string>> Rows(const std::string& path) const {
    std::vector<std::vector<std::string>> rows;
    std::istringstream lines(ReadFile(path));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream fields(line);
      rows.emplace_back();
      for (std::string field; std::getline(fields, field, '\t');) {
        rows.back().push_back(field);
      }
    }
    return rows;
  }
  ProcessResult Predict(const std::string& out, const std::string& texts) {
    return RunProcess({Program("meanfield"), "predict", Out(out)},
                      {.in = texts});
  }
};

TEST_F(FullModelsTest, StackedCrfTagger_IsTheSameWithOneAndTwoWorkers) {
  const std::string job = NerJob("");
  for (const int workers : {1, 2}) {
    const ProcessResult result =
        RunProcess(TrainCommand(job, absl::StrCat("out", workers), workers));
    ASSERT_EQ(result.exit_code, 0) << result.err << result.out;
  }

  EXPECT_EQ(FinalHash("out1"), FinalHash("out2"));
  EXPECT_GT(Report("out1")["best"]["score"].get<double>(), 0.9);
  const ProcessResult predicted =
      Predict("out2", "word1 First5 Last5son word2\n\nword3\n");
  EXPECT_EQ(predicted.exit_code, 0) << predicted.err;
  EXPECT_EQ(predicted.out,
            "word1/O First5/B-PER Last5son/E-PER word2/O\n\nword3/O\n");
}

TEST_F(FullModelsTest, PredictionsOnDev_GiveTheReportedScore) {
  ASSERT_EQ(RunProcess(TrainCommand(NerJob(""), "out", 2)).exit_code, 0);

  const auto rows = Rows(Out("out") + "/predictions/dev.tsv");
  const std::set<Span> gold = SpansOf(rows, 1);
  const std::set<Span> predicted = SpansOf(rows, 2);
  double right = 0;
  for (const Span& span : gold) right += predicted.contains(span) ? 1 : 0;

  EXPECT_EQ(rows.size(), Rows(Out("ner.dev")).size());
  EXPECT_DOUBLE_EQ(
      2 * right / static_cast<double>(gold.size() + predicted.size()),
      Report("out")["best"]["score"].get<double>());
}

TEST_F(FullModelsTest, FrozenVectors_AreAsInTheFileAndFineTunedOnesAreNot) {
  for (const char* fine_tune : {"", "fine_tune: true"}) {
    const std::string out = absl::StrCat("out", fine_tune[0] == '\0');
    ASSERT_EQ(RunProcess(TrainCommand(NerJob(fine_tune), out, 1,
                                      {"--set", "stop.max_rounds=1"}))
                  .exit_code,
              0);
    ASSERT_OK_AND_ASSIGN(
        const SafetensorsFile file,
        SafetensorsFile::Open(Out(out) + "/final.safetensors"));
    ASSERT_OK_AND_ASSIGN(
        const TensorView vectors,
        file.Get("embeddings.list_embedding_0.embedding.weight", DType::kF32,
                 2));
    EXPECT_THAT(vectors.spec.shape, ElementsAre(51, 3));
    const bool frozen = vectors.As<float>()[1] == 0.5f;
    EXPECT_EQ(frozen, fine_tune[0] == '\0') << vectors.As<float>()[1];
  }
}

TEST_F(FullModelsTest, MultiLabelClassifier_FindsSeveralLabels) {
  const ProcessResult result = RunProcess(TrainCommand(TopicsJob(), "out", 2));
  ASSERT_EQ(result.exit_code, 0) << result.err << result.out;

  EXPECT_GT(Report("out")["best"]["score"].get<double>(), 0.9);
  EXPECT_EQ(Report("out")["best"]["metric"], "micro_f1");
  const ProcessResult predicted = Predict("out", "w1 a1 c2\n\nw1 b3\n");
  EXPECT_EQ(predicted.exit_code, 0) << predicted.err;
  std::istringstream lines(predicted.out);
  std::string first;
  std::getline(lines, first);
  EXPECT_THAT(first, ::testing::AllOf(HasSubstr("a\t0."), HasSubstr("c\t0."),
                                      ::testing::Not(HasSubstr("b\t"))));
}

}  // namespace
}  // namespace meanfield::testing

#ifndef MEANFIELD_TESTS_INTEGRATION_TRAINING_FIXTURE_H_
#define MEANFIELD_TESTS_INTEGRATION_TRAINING_FIXTURE_H_

#include <filesystem>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/process.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/toy_corpora.h"

namespace meanfield::testing {

// Real processes: `meanfield train` and its workers, in a folder of the test.
class TrainingTest : public ::testing::Test {
 protected:
  TrainingTest() {
    folder_.Write("train.txt", ToyTexts(/*count=*/400, /*seed=*/1));
    folder_.Write("dev.txt", ToyTexts(/*count=*/100, /*seed=*/2));
    folder_.Write("test.txt", ToyTexts(/*count=*/100, /*seed=*/3));
    folder_.Write("train.conll", ToySentences(/*count=*/200, /*seed=*/4));
    folder_.Write("dev.conll", ToySentences(/*count=*/50, /*seed=*/5));
  }

  // A classifier job of so many shards and rounds.
  std::string ClassifierJob(int shards, int rounds) const {
    return folder_.Write(
        "toy.textproto",
        "shards: " + std::to_string(shards) +
            "\ntask {\n"
            "  corpus { fasttext { train: \"train.txt\" dev: \"dev.txt\" "
            "test: \"test.txt\" } }\n"
            "  model { text_classifier { embeddings { one_hot { "
            "embedding_size: 16 min_frequency: 1 } } bag {} } }\n"
            "  training { batch_size: 8 loss: MEAN sgd { learning_rate: 2 } }\n"
            "}\nstop { max_rounds: " +
            std::to_string(rounds) + " }\n");
  }
  std::string TaggerJob(int shards, int rounds) const {
    return folder_.Write(
        "tags.textproto",
        "shards: " + std::to_string(shards) +
            "\ntask {\n"
            "  corpus { conll { train: \"train.conll\" dev: \"dev.conll\" "
            "label_column: 1 } }\n"
            "  model { sequence_tagger { embeddings { one_hot { "
            "embedding_size: 16 min_frequency: 1 } } rnn { hidden_size: 16 } } "
            "}\n"
            "  training { batch_size: 8 sgd { learning_rate: 0.2 } "
            "max_grad_norm: 5 }\n"
            "}\nstop { max_rounds: " +
            std::to_string(rounds) + " }\n");
  }

  std::vector<std::string> TrainCommand(
      const std::string& job, const std::string& out, int workers,
      const std::vector<std::string>& more = {}) const {
    std::vector<std::string> command = {
        Program("meanfield"),    "train", job,     "--workers",
        std::to_string(workers), "--out", Out(out)};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }

  std::string Out(const std::string& name) const { return folder_.File(name); }
  nlohmann::json Report(const std::string& out) const {
    return nlohmann::json::parse(ReadFile(Out(out) + "/report.json"));
  }
  std::string FinalHash(const std::string& out) const {
    return Report(out)["final"]["model_hash"].get<std::string>();
  }

  TemporaryFolder folder_;
};

}  // namespace meanfield::testing

#endif  // MEANFIELD_TESTS_INTEGRATION_TRAINING_FIXTURE_H_

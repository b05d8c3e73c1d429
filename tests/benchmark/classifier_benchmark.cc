// Tokens per CPU second of the worker's recurrent classifier on one CPU thread,
// beside a plain LibTorch loop on the same model and the same batches: one-hot
// 100, RNN 128, batch 32. The plain loop uses what LibTorch has for the
// purpose: modules, packed sequences, sparse embedding gradients.
//
//   classifier_benchmark [FILE…]
//
// Each file holds the texts of one label, one a line, words separated by
// blanks. Without files: invented texts of 1 to 41 words.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "tests/benchmark/compare.h"
#include "tests/worker/torch/plain_classifier.h"
#include "tests/worker/torch/toy_units.h"
#include "worker/torch/numerics.h"

namespace meanfield {
namespace {

using testing::PlainClassifier;
using testing::ToyShard;
using testing::ToyUnits;

// Flair 0.15.1 on torch 2.11, LSTM, one thread of an AMD EPYC with AVX2, on the
// sentence polarity corpus: the best of 17,000 to 20,000.
constexpr double kFlairTokensPerCpuSecond = 20000;

struct Texts {
  ToyShard shard;
  int64_t num_words = 0;  // distinct
  int64_t num_labels = 0;
};

Texts ReadTexts(int count, char** files) {
  Texts texts;
  std::map<std::string, int32_t> ids;
  for (int label = 0; label < count; ++label) {
    std::ifstream file(files[label]);
    MEANFIELD_CHECK(file.good(), files[label]);
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      for (std::string word; words >> word;) {
        const int32_t next = static_cast<int32_t>(ids.size()) + 1;
        texts.shard.ids.push_back(ids.emplace(word, next).first->second);
      }
      texts.shard.offsets.push_back(
          static_cast<int64_t>(texts.shard.ids.size()));
      texts.shard.labels.push_back(label);
    }
  }
  texts.num_words = static_cast<int64_t>(ids.size()) + 1;
  texts.num_labels = count;
  return texts;
}

// Ids fall off as words do: the n-th with 1/n.
Texts InventTexts() {
  Texts texts{.num_words = 20000, .num_labels = 2};
  CounterRng rng(1);
  for (int64_t i = 0; i < 10000; ++i) {
    for (uint64_t left = 1 + rng.Below(41); left > 0; --left) {
      const double u = static_cast<double>(rng() >> 11) / 9007199254740992.0;
      texts.shard.ids.push_back(static_cast<int32_t>(
          std::pow(static_cast<double>(texts.num_words), u) - 1));
    }
    texts.shard.offsets.push_back(static_cast<int64_t>(texts.shard.ids.size()));
    texts.shard.labels.push_back(static_cast<int32_t>(rng.Below(2)));
  }
  return texts;
}

// An epoch of both. Returns our tokens per CPU second.
double CompareEpoch(const std::string& name, const Texts& texts,
                    RnnConfig rnn) {
  constexpr int64_t kBatchSize = 32;
  const TextClassifierConfig classifier{
      .embeddings = {OneHotEmbeddings{.num_embeddings = texts.num_words,
                                      .embedding_size = 100}},
      .document =
          DocumentRnnConfig{.rnn = rnn, .reproject_words_dimension = 100},
      .num_labels = texts.num_labels};
  const ModelConfig model{classifier};
  ToyUnits units;
  TrainTask task = units.Task(
      model, units.Initial(model), texts.shard.view(),
      static_cast<uint64_t>((texts.shard.view().size() - 1) / kBatchSize + 1),
      "update");
  task.training.batch_size = kBatchSize;
  task.training.max_grad_norm = 5;
  return Compare(name.c_str(), units, task,
                 PlainClassifier(classifier, /*sparse=*/true), texts.shard);
}

void Run(int count, char** files) {
  const Texts texts = count > 0 ? ReadTexts(count, files) : InventTexts();
  const double lstm =
      CompareEpoch("LSTM", texts, {RnnType::kLstm, 128, 1, false});
  std::printf(
      "  Flair (recorded)                %10.0f tokens per CPU second\n"
      "  ratio          %8.3f\n",
      kFlairTokensPerCpuSecond, lstm / kFlairTokensPerCpuSecond);
  CompareEpoch("GRU", texts, {RnnType::kGru, 128, 1, false});
  CompareEpoch("BiLSTM", texts, {RnnType::kLstm, 128, 1, true});
  CompareEpoch("BiGRU", texts, {RnnType::kGru, 128, 1, true});
}

}  // namespace
}  // namespace meanfield

int main(int argc, char** argv) {
  const absl::Status pinned = meanfield::PinNumerics(argv);
  MEANFIELD_CHECK(pinned.ok(), pinned.ToString());
  meanfield::Run(argc - 1, argv + 1);
}

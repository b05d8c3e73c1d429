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
#include <ctime>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "tests/worker/torch/plain_classifier.h"
#include "tests/worker/torch/plain_models.h"
#include "tests/worker/torch/toy_units.h"
#include "worker/torch/numerics.h"

namespace meanfield {
namespace {

using testing::PlainClassifier;
using testing::ToyShard;
using testing::ToyUnits;

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

double CpuSeconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void Compare(const std::string& name, const Texts& texts, RnnConfig rnn) {
  constexpr int64_t kBatchSize = 32;
  const TextClassifierConfig classifier{
      .embeddings = {OneHotEmbeddings{.num_embeddings = texts.num_words,
                                      .embedding_size = 100}},
      .document =
          DocumentRnnConfig{.rnn = rnn, .reproject_words_dimension = 100},
      .num_labels = texts.num_labels};
  const ModelConfig model{classifier};
  const uint64_t steps =
      static_cast<uint64_t>((texts.shard.view().size() - 1) / kBatchSize + 1);
  ToyUnits units;
  const SafetensorsFile& initial = units.Initial(model);
  TrainTask task =
      units.Task(model, initial, texts.shard.view(), steps, "update");
  task.training.batch_size = kBatchSize;
  task.training.max_grad_norm = 5;
  const double begin = CpuSeconds();
  const absl::StatusOr<TrainOutcome> outcome = units.Train(task);
  const double ours = CpuSeconds() - begin;
  MEANFIELD_CHECK(outcome.ok(), outcome.status().ToString());

  PlainClassifier plain(classifier, /*sparse=*/true);
  LoadPlainly(plain, initial);
  // LibTorch's clip_grad_norm_ leaves sparse gradients as they are: no clip.
  task.training.max_grad_norm.reset();
  const double plain_begin = CpuSeconds();
  TrainPlainly(plain, task, texts.shard);
  const double theirs = CpuSeconds() - plain_begin;
  const double tokens = static_cast<double>(outcome->tokens);
  std::printf(
      "%s: %.0f tokens, %llu steps\n"
      "  meanfield      %8.3f ms/step %10.0f tokens per CPU second\n"
      "  plain LibTorch %8.3f ms/step %10.0f tokens per CPU second\n"
      "  ratio          %8.3f\n",
      name.c_str(), tokens, static_cast<unsigned long long>(steps),
      ours * 1e3 / static_cast<double>(steps), tokens / ours,
      theirs * 1e3 / static_cast<double>(steps), tokens / theirs,
      theirs / ours);
  std::fflush(stdout);
}

void Run(int count, char** files) {
  const Texts texts = count > 0 ? ReadTexts(count, files) : InventTexts();
  for (const bool bidirectional : {false, true}) {
    for (const RnnType type : {RnnType::kLstm, RnnType::kGru}) {
      Compare(std::string(bidirectional ? "Bi" : "") +
                  (type == RnnType::kLstm ? "LSTM" : "GRU"),
              texts, {type, 128, 1, bidirectional});
    }
  }
}

}  // namespace
}  // namespace meanfield

int main(int argc, char** argv) {
  const absl::Status pinned = meanfield::PinNumerics(argv);
  MEANFIELD_CHECK(pinned.ok(), pinned.ToString());
  meanfield::Run(argc - 1, argv + 1);
}

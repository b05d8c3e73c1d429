// Tokens per CPU second of the worker's CRF tagger on one CPU thread, over one
// epoch in Flair's settings: one-hot 100, characters 25 (BiLSTM 25), BiLSTM
// 256, CRF, batch 32, SGD, sum loss, clipped. Beside it a plain LibTorch loop
// on the same model and the same batches, and what Flair was measured at.
//
//   tagger_benchmark [FILE]
//
// FILE: a word, a tab and a BIO tag a line, blank lines between sentences (the
// WNUT17 training split is what Flair was measured on). Without it: invented
// sentences like its.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "tests/benchmark/compare.h"
#include "tests/worker/torch/plain_crf_tagger.h"
#include "worker/torch/numerics.h"

namespace meanfield {
namespace {

using testing::ToyShard;
using testing::ToyUnits;

// Flair 0.15.1 on torch 2.11, one thread of an AMD EPYC with AVX2, WNUT17: the
// best of 1,420 to 1,640.
constexpr double kFlairTokensPerCpuSecond = 1640;

// Numbers things by first use, from 1 on.
class Numbers {
 public:
  int32_t Of(const std::string& key) {
    return numbers_.emplace(key, static_cast<int32_t>(numbers_.size()) + 1)
        .first->second;
  }
  int64_t count() const { return static_cast<int64_t>(numbers_.size()) + 1; }

 private:
  std::map<std::string, int32_t> numbers_;
};

class Corpus {
 public:
  void AddToken(const std::string& word, const std::string& tag) {
    shard_.ids.push_back(words_.Of(word));
    shard_.words.push_back(words_.Of(word) - 1);
    shard_.tags.push_back(tags_.Of(tag) - 1);
    if (shard_.words.back() + 1 <
        static_cast<int32_t>(shard_.character_offsets.size())) {
      return;
    }
    for (size_t begin = 0; begin < word.size();) {
      size_t end = begin + 1;  // of a UTF-8 character
      while (end < word.size() && (word[end] & 0xC0) == 0x80) ++end;
      shard_.characters.push_back(
          characters_.Of(word.substr(begin, end - begin)));
      begin = end;
    }
    shard_.character_offsets.push_back(
        static_cast<int64_t>(shard_.characters.size()));
  }
  void EndSentence() {
    const auto tokens = static_cast<int64_t>(shard_.ids.size());
    if (tokens > shard_.offsets.back()) shard_.offsets.push_back(tokens);
  }

  const ToyShard& shard() const { return shard_; }
  // BIOES tags of the BIO labels, O, <START> and <STOP>.
  SequenceTaggerConfig Tagger() const {
    return {.embeddings = {OneHotEmbeddings{.num_embeddings = words_.count(),
                                            .embedding_size = 100},
                           CharacterEmbeddings{.num_characters =
                                                   characters_.count()}},
            .rnn = {.hidden_size = 256},
            .crf = true,
            .num_tags = 2 * (tags_.count() - 2) + 3};
  }

 private:
  ToyShard shard_ = {.character_offsets = {0}};
  Numbers words_;
  Numbers characters_;
  Numbers tags_;
};

Corpus Read(const char* path) {
  std::ifstream file(path);
  MEANFIELD_CHECK(file.good(), path);
  Corpus corpus;
  for (std::string line; std::getline(file, line);) {
    const size_t tab = line.find('\t');
    if (tab == std::string::npos || tab == 0) {
      corpus.EndSentence();
    } else {
      corpus.AddToken(line.substr(0, tab), line.substr(tab + 1));
    }
  }
  corpus.EndSentence();
  return corpus;
}

// 3,400 sentences of 18 words on average, as long as WNUT17's.
Corpus Invent() {
  Corpus corpus;
  CounterRng rng(1);
  for (int i = 0; i < 3400; ++i) {
    for (uint64_t left = 2 + rng.Below(17) + rng.Below(18); left > 0; --left) {
      const double u = static_cast<double>(rng() >> 11) / 9007199254740992.0;
      const auto word = static_cast<uint64_t>(std::pow(60000.0, u));
      std::string spelling;
      for (uint64_t rest = word; rest > 0; rest /= 6) {
        spelling += static_cast<char>('a' + (rest + word) % 26);
      }
      corpus.AddToken(spelling, "tag" + std::to_string(rng.Below(13)));
    }
    corpus.EndSentence();
  }
  return corpus;
}

void Run(const Corpus& corpus) {
  const ModelConfig model{corpus.Tagger()};
  ToyUnits units;
  const ToyShard& shard = corpus.shard();
  TrainTask task = units.Task(model, units.Initial(model), shard.view(),
                              (shard.view().size() + 31) / 32, "update");
  task.training.batch_size = 32;
  task.training.loss = LossReduction::kSum;
  task.training.max_grad_norm = 5;
  task.lr_first = task.lr_last = 0.1f;
  const double ours = Compare(
      "CRF tagger, one-hot 100, characters, BiLSTM 256, batch 32", units, task,
      testing::PlainCrfTagger(corpus.Tagger(), /*sparse=*/true), shard);
  std::printf(
      "  Flair (recorded)                %10.0f tokens per CPU second\n"
      "  ratio          %8.3f\n",
      kFlairTokensPerCpuSecond, ours / kFlairTokensPerCpuSecond);
}

}  // namespace
}  // namespace meanfield

int main(int argc, char** argv) {
  const absl::Status pinned = meanfield::PinNumerics(argv);
  MEANFIELD_CHECK(pinned.ok(), pinned.ToString());
  meanfield::Run(argc > 1 ? meanfield::Read(argv[1]) : meanfield::Invent());
}

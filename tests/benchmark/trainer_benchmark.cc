// Tokens per CPU second of the worker's trainer on one CPU thread, beside a
// plain LibTorch loop on the same model and the same batches. The plain loop
// uses what LibTorch has for the purpose: modules, packed sequences, sparse
// embedding gradients.
#include <cmath>
#include <string>

#include "common/base/check.h"
#include "tests/benchmark/compare.h"
#include "worker/torch/numerics.h"

namespace meanfield {
namespace {

using testing::PlainBag;
using testing::PlainTagger;
using testing::ToyShard;
using testing::ToyUnits;

// Ids fall off as words do: the n-th with 1/n.
int32_t DrawId(int64_t count, CounterRng& rng) {
  const double u = static_cast<double>(rng() >> 11) / 9007199254740992.0;
  return static_cast<int32_t>(std::pow(static_cast<double>(count), u)) - 1;
}

// Texts of 60 words and 59 hashed bigrams.
ToyShard Texts(int64_t num_words, int64_t buckets, int32_t num_labels,
               int64_t count) {
  CounterRng rng(1);
  ToyShard shard;
  for (int64_t i = 0; i < count; ++i) {
    for (int j = 0; j < 60; ++j) shard.ids.push_back(DrawId(num_words, rng));
    for (int j = 0; j < 59; ++j) {
      shard.ids.push_back(static_cast<int32_t>(num_words + rng.Below(buckets)));
    }
    shard.labels.push_back(static_cast<int32_t>(rng.Below(num_labels)));
    shard.offsets.push_back(static_cast<int64_t>(shard.ids.size()));
  }
  return shard;
}

// Sentences of 30 to 50 words.
ToyShard Sentences(int64_t num_words, int32_t num_tags, int64_t count) {
  CounterRng rng(2);
  ToyShard shard;
  for (int64_t i = 0; i < count; ++i) {
    for (uint64_t left = 30 + rng.Below(21); left > 0; --left) {
      shard.ids.push_back(DrawId(num_words, rng));
      shard.tags.push_back(static_cast<int32_t>(rng.Below(num_tags)));
    }
    shard.offsets.push_back(static_cast<int64_t>(shard.ids.size()));
  }
  return shard;
}

template <typename Module>
void CompareUnit(const char* name, const ModelConfig& model, Module&& plain,
                 const ToyShard& shard, int64_t batch_size, uint64_t steps) {
  ToyUnits units;
  TrainTask task =
      units.Task(model, units.Initial(model), shard.view(), steps, "update");
  task.training.batch_size = batch_size;
  Compare(name, units, task, plain, shard);
}

void Run() {
  const TextClassifierConfig bag{
      .embeddings = {OneHotEmbeddings{.num_embeddings = 40000,
                                      .embedding_size = 64}},
      .document = BagConfig{.ngram_size = 2, .ngram_buckets = 262144},
      .num_labels = 58};
  CompareUnit("text classifier, bag: 302144 x 64, batch 16", {bag},
              PlainBag(bag, /*sparse=*/true), Texts(40000, 262144, 58, 13000),
              16, 3000);
  const SequenceTaggerConfig tagger{
      .embeddings = {OneHotEmbeddings{.num_embeddings = 10000,
                                      .embedding_size = 100}},
      .rnn = {.hidden_size = 256},
      .num_tags = 17};
  CompareUnit("sequence tagger: 10000 x 100, BiLSTM 256, batch 32", {tagger},
              PlainTagger(tagger, /*sparse=*/true), Sentences(10000, 17, 1000),
              32, 40);
}

}  // namespace
}  // namespace meanfield

int main(int, char** argv) {
  const absl::Status pinned = meanfield::PinNumerics(argv);
  MEANFIELD_CHECK(pinned.ok(), pinned.ToString());
  meanfield::Run();
}

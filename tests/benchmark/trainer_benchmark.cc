// Tokens per CPU second of the worker's trainer on one CPU thread, beside a
// plain LibTorch loop on the same model and the same batches. The plain loop
// uses what LibTorch has for the purpose: modules, packed sequences, sparse
// embedding gradients.
#include <cstdio>
#include <ctime>
#include <string>

#include "common/base/check.h"
#include "tests/worker/torch/plain_models.h"
#include "tests/worker/torch/toy_units.h"
#include "worker/torch/numerics.h"

namespace meanfield {
namespace {

using testing::PlainBag;
using testing::PlainTagger;
using testing::ToyShard;
using testing::ToyUnits;

double CpuSeconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// Ids fall off as words do: the n-th with 1/n.
int32_t DrawId(int64_t count, CounterRng& rng) {
  const double u = static_cast<double>(rng() >> 11) / 9007199254740992.0;
  return static_cast<int32_t>(std::pow(static_cast<double>(count), u)) - 1;
}

// Texts of 60 words and 59 hashed bigrams.
ToyShard Texts(const TextClassifierConfig& config, int64_t count) {
  CounterRng rng(1);
  ToyShard shard;
  for (int64_t i = 0; i < count; ++i) {
    for (int j = 0; j < 60; ++j) {
      shard.ids.push_back(DrawId(config.embeddings.num_embeddings, rng));
    }
    for (int j = 0; j < 59; ++j) {
      shard.ids.push_back(static_cast<int32_t>(
          config.embeddings.num_embeddings + rng.Below(config.ngram_buckets)));
    }
    shard.labels.push_back(static_cast<int32_t>(rng.Below(config.num_labels)));
    shard.offsets.push_back(static_cast<int64_t>(shard.ids.size()));
  }
  return shard;
}

// Sentences of 30 to 50 words.
ToyShard Sentences(const SequenceTaggerConfig& config, int64_t count) {
  CounterRng rng(2);
  ToyShard shard;
  for (int64_t i = 0; i < count; ++i) {
    for (uint64_t left = 30 + rng.Below(21); left > 0; --left) {
      shard.ids.push_back(DrawId(config.embeddings.num_embeddings, rng));
      shard.tags.push_back(static_cast<int32_t>(rng.Below(config.num_tags)));
    }
    shard.offsets.push_back(static_cast<int64_t>(shard.ids.size()));
  }
  return shard;
}

// Runs one unit and the plain loop, prints both.
template <typename Module>
void Compare(const char* name, const ModelConfig& model, Module&& plain,
             const ToyShard& shard, int64_t batch_size, uint64_t steps) {
  ToyUnits units;
  const SafetensorsFile& initial = units.Initial(model);
  TrainTask task = units.Task(model, initial, shard.view(), steps, "update");
  task.training.batch_size = batch_size;
  const double begin = CpuSeconds();
  const absl::StatusOr<TrainOutcome> outcome = units.Train(task);
  const double ours = CpuSeconds() - begin;
  MEANFIELD_CHECK(outcome.ok(), outcome.status().ToString());

  LoadPlainly(plain, initial);
  const double plain_begin = CpuSeconds();
  TrainPlainly(plain, task, shard);
  const double theirs = CpuSeconds() - plain_begin;
  const double tokens = static_cast<double>(outcome->tokens);
  std::printf(
      "%s\n  meanfield      %8.3f ms/step %10.0f tokens per CPU second "
      "(%.4f s of %.3f s waiting for input)\n"
      "  plain LibTorch %8.3f ms/step %10.0f tokens per CPU second\n"
      "  ratio          %8.3f\n",
      name, ours * 1e3 / static_cast<double>(steps), tokens / ours,
      outcome->input_wait_s, ours, theirs * 1e3 / static_cast<double>(steps),
      tokens / theirs, theirs / ours);
}

void Run() {
  const TextClassifierConfig bag{
      .embeddings = {.num_embeddings = 40000, .embedding_size = 64},
      .ngram_size = 2,
      .ngram_buckets = 262144,
      .num_labels = 58};
  Compare("text classifier, bag: 302144 x 64, batch 16", {bag},
          PlainBag(bag, /*sparse=*/true), Texts(bag, 13000), 16, 3000);
  const SequenceTaggerConfig tagger{
      .embeddings = {.num_embeddings = 10000, .embedding_size = 100},
      .hidden_size = 256,
      .num_tags = 17};
  Compare("sequence tagger: 10000 x 100, BiLSTM 256, batch 32", {tagger},
          PlainTagger(tagger, /*sparse=*/true), Sentences(tagger, 1000), 32,
          40);
}

}  // namespace
}  // namespace meanfield

int main(int, char** argv) {
  const absl::Status pinned = meanfield::PinNumerics(argv);
  MEANFIELD_CHECK(pinned.ok(), pinned.ToString());
  meanfield::Run();
}

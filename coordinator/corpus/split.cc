#include "coordinator/corpus/split.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "common/base/check.h"
#include "common/base/random.h"

namespace meanfield::corpus {
namespace {

void ShuffleFor(std::string_view purpose, uint64_t job_seed,
                std::string_view task, std::vector<int64_t>& samples) {
  CounterRng rng(
      DeriveSeed({.job_seed = job_seed, .task = task, .purpose = purpose}));
  Shuffle(std::span(samples), rng);
}

}  // namespace

HeldOut HoldOut(int64_t num_samples, double dev_fraction, double test_fraction,
                uint64_t job_seed, std::string_view task) {
  MEANFIELD_CHECK(dev_fraction >= 0 && test_fraction >= 0 &&
                      dev_fraction + test_fraction < 1,
                  "fractions leave nothing to train on");
  std::vector<int64_t> all(static_cast<size_t>(num_samples));
  std::iota(all.begin(), all.end(), 0);
  if (dev_fraction == 0 && test_fraction == 0) return {std::move(all), {}, {}};
  ShuffleFor("hold out", job_seed, task, all);
  const auto samples = static_cast<double>(num_samples);
  const int64_t dev = std::llround(dev_fraction * samples);
  const int64_t test = std::min(std::llround(test_fraction * samples),
                                static_cast<long long>(num_samples - dev));
  HeldOut parts;
  parts.dev.assign(all.begin(), all.begin() + dev);
  parts.test.assign(all.begin() + dev, all.begin() + dev + test);
  parts.train.assign(all.begin() + dev + test, all.end());
  for (auto* part : {&parts.train, &parts.dev, &parts.test}) {
    std::sort(part->begin(), part->end());
  }
  return parts;
}

std::vector<std::vector<int64_t>> DealToShards(std::vector<int64_t> samples,
                                               uint32_t num_shards,
                                               uint64_t job_seed,
                                               std::string_view task) {
  ShuffleFor("shuffle", job_seed, task, samples);
  std::vector<std::vector<int64_t>> shards(num_shards);
  for (size_t i = 0; i < samples.size(); ++i) {
    shards[i % num_shards].push_back(samples[i]);
  }
  return shards;
}

std::vector<uint64_t> CutIntoBatchRuns(uint64_t num_samples,
                                       uint64_t batch_size,
                                       uint32_t max_shards) {
  const uint64_t batches = (num_samples + batch_size - 1) / batch_size;
  const uint64_t shards = std::min<uint64_t>(max_shards, batches);
  std::vector<uint64_t> sizes;
  uint64_t begin = 0;
  for (uint64_t shard = 1; shard <= shards; ++shard) {
    const uint64_t end =
        std::min(batches * shard / shards * batch_size, num_samples);
    sizes.push_back(end - begin);
    begin = end;
  }
  return sizes;
}

}  // namespace meanfield::corpus

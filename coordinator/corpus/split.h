#ifndef MEANFIELD_COORDINATOR_CORPUS_SPLIT_H_
#define MEANFIELD_COORDINATOR_CORPUS_SPLIT_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace meanfield::corpus {

// Numbers of samples of one file, from 0; rising in each part.
struct HeldOut {
  std::vector<int64_t> train;
  std::vector<int64_t> dev;
  std::vector<int64_t> test;
};

// Takes round(fraction · num_samples) samples at random for dev, then for test;
// the rest is train. Depends on the job's seed and the task's name only.
HeldOut HoldOut(int64_t num_samples, double dev_fraction, double test_fraction,
                uint64_t job_seed, std::string_view task);

// One seeded shuffle; the i-th of it goes to shard i mod num_shards. The
// shuffle doesn't depend on num_shards.
std::vector<std::vector<int64_t>> DealToShards(std::vector<int64_t> samples,
                                               uint32_t num_shards,
                                               uint64_t job_seed,
                                               std::string_view task);

// Runs of whole batches of num_samples samples in order, as many shards as
// asked for or as there are batches: the sizes of the shards.
std::vector<uint64_t> CutIntoBatchRuns(uint64_t num_samples,
                                       uint64_t batch_size,
                                       uint32_t max_shards);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_SPLIT_H_

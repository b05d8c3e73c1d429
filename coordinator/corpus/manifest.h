#ifndef MEANFIELD_COORDINATOR_CORPUS_MANIFEST_H_
#define MEANFIELD_COORDINATOR_CORPUS_MANIFEST_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/corpus/corpus.h"
#include "coordinator/corpus/sample_table.h"
#include "coordinator/corpus/tensor_file.h"
#include "nlohmann/json.hpp"

namespace meanfield::corpus {

// manifest.json: which samples went where, in a form that proves exact cover.
// `index_sum` of some samples is the sum, modulo 2^64, of CounterRng(i)() over
// their numbers i in their file (from 0, texts without a token not counted). A
// file's own index_sum is over all of its samples, so the sums of its shards
// and held-out parts add up to it where, and (but for a chance of 2^-64) only
// where, each sample is in exactly one of them.
class Manifest {
 public:
  // A part of a task's corpus: "train", "dev" or "test". `shard_samples`: the
  // numbers of each shard's samples in the table's file.
  void AddSplit(std::string_view split, const SampleTable& table,
                std::span<const std::vector<int64_t>> shard_samples,
                std::span<const EncodedShardInfo> shards);
  // A tensor of word vectors.
  void AddTensor(const TensorFile& tensor);
  std::string ToJson() const;

 private:
  nlohmann::json files_ = nlohmann::json::object();
  nlohmann::json splits_ = nlohmann::json::object();
  nlohmann::json tensors_ = nlohmann::json::object();
};

// See Manifest; 16 hex digits.
std::string IndexSum(std::span<const int64_t> samples);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_MANIFEST_H_

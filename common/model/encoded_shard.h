#ifndef MEANFIELD_COMMON_MODEL_ENCODED_SHARD_H_
#define MEANFIELD_COMMON_MODEL_ENCODED_SHARD_H_

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "common/tensor/safetensors.h"

namespace meanfield {

// The tensors of an encoded shard, the same for every model that reads token
// sequences. A shard holds N samples of T ids in all.
//
//   ids      I32 [T]    word ids; in a classifier with n-grams followed, sample
//                       by sample, by the ids of the n-grams
//   offsets  I64 [N+1]  sample i owns ids[offsets[i] … offsets[i+1])
//   labels   I32 [N]    classifiers: the class of each sample
//   tags     I32 [T]    taggers: the tag of each id
//
// A shard to predict has neither labels nor tags. `tokens` counts words only
// (without n-grams), for rates and weights.
struct EncodedShard {
  std::span<const int32_t> ids;
  std::span<const int64_t> offsets;
  std::span<const int32_t> labels;
  std::span<const int32_t> tags;

  int64_t size() const { return static_cast<int64_t>(offsets.size()) - 1; }
};

// Views into `file`, every invariant checked: offsets rise from 0 to T (a
// sample may be empty unless there are tags), labels and tags have their
// lengths, no other tensors. Ids are not compared with a vocabulary here.
absl::StatusOr<EncodedShard> ViewEncodedShard(const SafetensorsFile& file);

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_MODEL_ENCODED_SHARD_H_

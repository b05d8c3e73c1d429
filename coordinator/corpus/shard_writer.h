#ifndef MEANFIELD_COORDINATOR_CORPUS_SHARD_WRITER_H_
#define MEANFIELD_COORDINATOR_CORPUS_SHARD_WRITER_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "common/blob/blob_store.h"

namespace meanfield::corpus {

// The tensors of common/model/encoded_shard.h, on their way to a blob.
struct ShardTensors {
  std::vector<int32_t> ids;
  std::vector<int64_t> offsets = {0};
  std::vector<int32_t> labels;  // classifiers
  std::vector<int32_t> tags;    // taggers
};

enum class ShardTargets { kNone, kLabels, kTags };

// Errors name the file; disk full is RESOURCE_EXHAUSTED.
absl::StatusOr<Blob> WriteShard(const ShardTensors& tensors,
                                ShardTargets targets, Durability durability,
                                BlobStore& blobs);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_SHARD_WRITER_H_

#ifndef MEANFIELD_COORDINATOR_CORPUS_CORPUS_H_
#define MEANFIELD_COORDINATOR_CORPUS_CORPUS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/blob/blob_store.h"
#include "common/model/model_config.h"
#include "coordinator/corpus/dictionaries.h"
#include "coordinator/corpus/evaluation_split.h"
#include "coordinator/corpus/tensor_file.h"
#include "proto/job.pb.h"

namespace meanfield::corpus {

struct EncodedShardInfo {
  Blob data;
  uint64_t examples = 0;
  uint64_t tokens = 0;  // words
};

// A task's corpus, ready to train: what `corpus` hands to the rest.
struct PreparedTask {
  ModelConfig model;  // sizes of vocabulary and labels filled in
  Dictionaries dictionaries;
  std::vector<TensorFile> frozen;       // word vectors that stay as they are
  std::vector<TensorFile> given;        // word vectors that are trained
  std::vector<EncodedShardInfo> train;  // K shards
  // Shards are runs of whole evaluation batches, in corpus order.
  std::vector<EncodedShardInfo> dev;
  std::vector<EncodedShardInfo> test;  // empty: no test split
  std::shared_ptr<const EvaluationSplit> dev_split;
  std::shared_ptr<const EvaluationSplit> test_split;  // null: none
  std::vector<std::string> warnings;  // odd lines with file:line, …
  std::string manifest_json;          // proof of exact cover; manifest.json
};

struct PrepareOptions {
  uint64_t seed = 0;
  uint32_t shards = 1;             // K
  uint32_t evaluation_shards = 1;  // at most; fewer where batches are few
  int64_t eval_batch_size = 64;
};

// Reads the task's files, builds vocabulary and label dictionary over the whole
// training split, holds out dev or test where asked, shuffles (seeded), deals
// sample i of the shuffled order to shard i mod K, encodes into `blobs`.
// INVALID_ARGUMENT names file and line, what was seen and what was expected;
// an empty training split, or fewer samples than shards, is one.
absl::StatusOr<PreparedTask> PrepareTask(const proto::Task& task,
                                         const PrepareOptions& options,
                                         BlobStore& blobs);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_CORPUS_H_

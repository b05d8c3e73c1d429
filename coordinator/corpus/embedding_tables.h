#ifndef MEANFIELD_COORDINATOR_CORPUS_EMBEDDING_TABLES_H_
#define MEANFIELD_COORDINATOR_CORPUS_EMBEDDING_TABLES_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/blob/blob_store.h"
#include "common/model/model_config.h"
#include "coordinator/corpus/dictionaries.h"
#include "coordinator/corpus/sample_table.h"
#include "coordinator/corpus/tensor_file.h"
#include "proto/job.pb.h"

namespace meanfield::corpus {

// What a model's embeddings are once the corpus is known. Lists of configs and
// dictionaries are in the job's order.
struct EmbeddingTables {
  std::vector<Embeddings> configs;
  std::vector<EmbeddingDictionary> dictionaries;
  std::vector<TensorFile> frozen;  // word vectors that stay as they are
  std::vector<TensorFile> given;   // word vectors that are trained
  std::vector<std::string> warnings;
};

// Words and characters of these training samples; word vectors go into `blobs`.
// The job's model must be valid (coordinator/job).
absl::StatusOr<EmbeddingTables> MakeEmbeddingTables(
    const proto::Model& model, const SampleTable& table,
    std::span<const int64_t> samples, BlobStore& blobs);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_EMBEDDING_TABLES_H_

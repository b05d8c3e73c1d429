#ifndef MEANFIELD_COORDINATOR_CORPUS_TABLE_ENCODER_H_
#define MEANFIELD_COORDINATOR_CORPUS_TABLE_ENCODER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "common/blob/blob_store.h"
#include "coordinator/corpus/corpus.h"
#include "coordinator/corpus/dictionaries.h"
#include "coordinator/corpus/sample_table.h"

namespace meanfield::corpus {

// Writes samples of a table as encoded shards (common/model/encoded_shard.h).
// Both arguments must outlive it.
class TableEncoder {
 public:
  TableEncoder(const SampleTable& table, const Dictionaries& dictionaries);

  // The samples in this order. A label that the dictionary lacks becomes
  // "<unk>", a span's tag "O".
  absl::StatusOr<EncodedShardInfo> Encode(std::span<const int64_t> samples,
                                          BlobStore& blobs) const;

 private:
  void AppendIds(int64_t sample, std::vector<int32_t>& ids) const;
  void AppendTags(int64_t sample, std::vector<int32_t>& tags) const;

  const SampleTable& table_;
  const Dictionaries& dictionaries_;
  // From the ids of the table's pools to the dictionaries'.
  std::vector<int32_t> word_ids_;
  std::vector<int32_t> label_ids_;
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_TABLE_ENCODER_H_

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
  // "<unk>" (multi-label: is left out), a span's tag "O".
  absl::StatusOr<EncodedShardInfo> Encode(std::span<const int64_t> samples,
                                          BlobStore& blobs) const;

 private:
  std::vector<int32_t> TargetsOf(int64_t sample) const;
  std::vector<int32_t> LabelsOf(int64_t sample) const;
  std::vector<int32_t> TagsOf(int64_t sample) const;

  const SampleTable& table_;
  const Dictionaries& dictionaries_;
  // From the ids of the table's labels to the dictionary's; -1: absent there.
  std::vector<int32_t> label_ids_;
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_TABLE_ENCODER_H_

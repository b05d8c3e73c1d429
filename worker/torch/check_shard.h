#ifndef MEANFIELD_WORKER_TORCH_CHECK_SHARD_H_
#define MEANFIELD_WORKER_TORCH_CHECK_SHARD_H_

#include "absl/status/status.h"
#include "common/model/encoded_shard.h"
#include "common/model/model_config.h"

namespace meanfield {

enum class Targets { kNeeded, kUnused };

// A row of ids for each table and every id below the table's size; characters
// where the model has them; every label or tag (where kNeeded) below the number
// of classes, <START> and <STOP> not among them. INVALID_ARGUMENT names the
// tensor, the value and its position. `shard` is a view of ViewEncodedShard.
absl::Status CheckShard(const ModelConfig& config, const EncodedShard& shard,
                        Targets targets);

}  // namespace meanfield

#endif  // MEANFIELD_WORKER_TORCH_CHECK_SHARD_H_

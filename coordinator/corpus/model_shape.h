#ifndef MEANFIELD_COORDINATOR_CORPUS_MODEL_SHAPE_H_
#define MEANFIELD_COORDINATOR_CORPUS_MODEL_SHAPE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "common/model/model_config.h"
#include "coordinator/corpus/dictionaries.h"
#include "proto/job.pb.h"

namespace meanfield::corpus {

// UNIMPLEMENTED where this version has no such model.
absl::Status CheckModelKind(const proto::Model& model);

// The job's model with the sizes that its corpus gives. The model must be valid
// (coordinator/job). INVALID_ARGUMENT where a label weight names no label.
absl::StatusOr<ModelConfig> MakeModelConfig(const proto::Model& model,
                                            std::vector<Embeddings> embeddings,
                                            const Dictionaries& dictionaries);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_MODEL_SHAPE_H_

#ifndef MEANFIELD_COORDINATOR_CLI_TRAINED_MODEL_H_
#define MEANFIELD_COORDINATOR_CLI_TRAINED_MODEL_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/blob/blob_store.h"
#include "coordinator/corpus/dictionaries.h"

namespace meanfield::cli {

// The best model of a run, from its output folder into a blob store.
struct TrainedModel {
  corpus::Dictionaries dictionaries;
  Blob model_config;
  Blob training_config;
  Blob weights;
  std::vector<Blob> frozen;  // tensors that `weights` lacks
};

// INVALID_ARGUMENT names the file that is missing or damaged.
absl::StatusOr<TrainedModel> LoadTrainedModel(const std::string& run_folder,
                                              BlobStore& blobs);

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_TRAINED_MODEL_H_

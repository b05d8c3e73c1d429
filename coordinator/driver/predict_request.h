#ifndef MEANFIELD_COORDINATOR_DRIVER_PREDICT_REQUEST_H_
#define MEANFIELD_COORDINATOR_DRIVER_PREDICT_REQUEST_H_

#include <vector>

#include "common/blob/blob_store.h"

namespace meanfield::driver {

// Blobs of the coordinator's store. `data`: encoded shards, one unit each.
struct PredictRequest {
  Blob model_config;
  Blob training_config;
  Blob model;
  std::vector<Blob> frozen;  // tensors that `model` lacks
  std::vector<Blob> data;
};

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_PREDICT_REQUEST_H_

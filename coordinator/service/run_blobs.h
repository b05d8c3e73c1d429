#ifndef MEANFIELD_COORDINATOR_SERVICE_RUN_BLOBS_H_
#define MEANFIELD_COORDINATOR_SERVICE_RUN_BLOBS_H_

#include <string>

#include "absl/status/statusor.h"
#include "coordinator/store/run_store.h"

namespace meanfield::service {

// The file of a blob that the records of the run name. NOT_FOUND where they do
// not, or the blob (a superseded model) is gone.
absl::StatusOr<std::string> PathOfRunBlob(const store::RunStore& store,
                                          const std::string& run,
                                          const std::string& id);

}  // namespace meanfield::service

#endif  // MEANFIELD_COORDINATOR_SERVICE_RUN_BLOBS_H_

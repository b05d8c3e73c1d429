#ifndef MEANFIELD_COORDINATOR_REPORT_MODEL_FILE_H_
#define MEANFIELD_COORDINATOR_REPORT_MODEL_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "common/blob/blob_store.h"
#include "proto/plan.pb.h"
#include "proto/record.pb.h"

namespace meanfield::report {

// Writes a model of the run to `path` as a file of all its tensors: a second
// name for the model's blob, or a canonical file of its tensors and the run's
// frozen ones (word vectors), which no blob of a model holds.
absl::Status WriteModelFile(const BlobStore& blobs, const proto::RunRecord& run,
                            const proto::BlobRef& model,
                            const std::string& path);

}  // namespace meanfield::report

#endif  // MEANFIELD_COORDINATOR_REPORT_MODEL_FILE_H_

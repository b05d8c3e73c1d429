#ifndef MEANFIELD_COORDINATOR_DRIVER_FIRST_MODEL_H_
#define MEANFIELD_COORDINATOR_DRIVER_FIRST_MODEL_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/blob/blob_store.h"
#include "common/tensor/tensor_spec.h"
#include "coordinator/driver/run_floor.h"
#include "proto/plan.pb.h"

namespace meanfield::driver {

// What the INIT unit of a run gave.
struct FirstModel {
  Blob blob;
  std::vector<TensorSpec> specs;  // with roles; frozen ones too
};

// Runs the INIT unit; `done` once, on the actor, unless the run ends before.
void MakeFirstModel(RunFloor& floor,
                    std::function<void(absl::StatusOr<FirstModel>)> done);

// Whether the file at `path` holds exactly these tensors (but the frozen ones),
// all values finite.
// INVALID_ARGUMENT "<reason>: …" where not.
absl::Status CheckModelFile(const std::string& path,
                            const std::vector<TensorSpec>& specs);

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_FIRST_MODEL_H_

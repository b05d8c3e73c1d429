#ifndef MEANFIELD_COORDINATOR_CLI_RUN_EXPORT_H_
#define MEANFIELD_COORDINATOR_CLI_RUN_EXPORT_H_

#include <string>

#include "absl/status/statusor.h"
#include "coordinator/cli/coordinator_client.h"

namespace meanfield::cli {

// Writes the output folder of a coordinator's run on this machine, as `train`
// does: what is there already of an earlier call is not fetched again. `out`
// empty: runs/<run>. The folder; INVALID_ARGUMENT where it holds other things.
absl::StatusOr<std::string> ExportRun(CoordinatorClient& client,
                                      const std::string& run,
                                      const std::string& out);

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_RUN_EXPORT_H_

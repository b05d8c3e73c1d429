#ifndef MEANFIELD_COORDINATOR_CLI_DRY_RUN_H_
#define MEANFIELD_COORDINATOR_CLI_DRY_RUN_H_

#include <string>
#include <vector>

#include "coordinator/cli/worker_processes.h"
#include "proto/job.pb.h"

namespace meanfield::cli {

// Prints the job with every default, the shards, the rounds and the devices,
// and leaves nothing behind. Reads the corpus. An exit code.
int DryRun(const proto::JobSpec& job, std::vector<std::string> warnings,
           const std::vector<WorkerCommand>& workers);

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_DRY_RUN_H_

#ifndef MEANFIELD_COORDINATOR_CLI_WORKER_LIST_H_
#define MEANFIELD_COORDINATOR_CLI_WORKER_LIST_H_

#include <string>

#include "proto/coordinator.pb.h"

namespace meanfield::cli {

// The connected workers of a coordinator: a table for a person, or a JSON
// array.
std::string WorkerListText(const proto::ListWorkersResponse& workers);
std::string WorkerListJson(const proto::ListWorkersResponse& workers);

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_WORKER_LIST_H_

#ifndef MEANFIELD_COORDINATOR_CLI_RUN_LIST_H_
#define MEANFIELD_COORDINATOR_CLI_RUN_LIST_H_

#include <string>

#include "proto/coordinator.pb.h"

namespace meanfield::cli {

// The runs of a coordinator: a table for a person, or a JSON array.
std::string RunListText(const proto::ListRunsResponse& runs);
std::string RunListJson(const proto::ListRunsResponse& runs);

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_RUN_LIST_H_

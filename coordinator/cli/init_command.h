#ifndef MEANFIELD_COORDINATOR_CLI_INIT_COMMAND_H_
#define MEANFIELD_COORDINATOR_CLI_INIT_COMMAND_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/corpus/format_guess.h"

namespace meanfield::cli {

struct InitOptions {
  std::vector<std::string> paths;  // data files, or a folder of them
  corpus::GuessOptions guess;
};

// Prints a job that trains on the files. An exit code: kUsage where they are no
// corpus, or where it is not plain how to read them.
int RunInit(const InitOptions& options);

// The job for the files, in a job file that will stand in `folder`.
absl::StatusOr<std::string> MakeJob(const InitOptions& options,
                                    const std::string& folder);

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_INIT_COMMAND_H_

#ifndef MEANFIELD_COORDINATOR_CLI_EXIT_CODE_H_
#define MEANFIELD_COORDINATOR_CLI_EXIT_CODE_H_

namespace meanfield::cli {

// What every command ends with.
enum ExitCode : int {
  kDone = 0,
  kFailed = 1,     // the run failed; the reason was printed
  kUsage = 2,      // bad flags, job or data; nothing was left behind
  kResumable = 3,  // interrupted, or no worker left
};

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_EXIT_CODE_H_

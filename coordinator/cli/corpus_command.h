#ifndef MEANFIELD_COORDINATOR_CLI_CORPUS_COMMAND_H_
#define MEANFIELD_COORDINATOR_CLI_CORPUS_COMMAND_H_

#include <string>
#include <vector>

#include "coordinator/corpus/format_guess.h"

namespace meanfield::cli {

struct CorpusOptions {
  std::vector<std::string> paths;      // data files, a folder of them, or a job
  corpus::GuessOptions guess;          // of data files
  std::vector<std::string> overrides;  // --set, of a job
  std::string corpus_root;             // of a job
  bool json = false;
};

// Shows what was understood of a corpus. An exit code: kUsage also where the
// corpus has bad lines and nothing says what becomes of them, as `train` would
// refuse it.
int RunCorpus(const CorpusOptions& options);

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_CORPUS_COMMAND_H_

#ifndef MEANFIELD_COORDINATOR_CLI_PREDICT_H_
#define MEANFIELD_COORDINATOR_CLI_PREDICT_H_

#include <string>

#include "coordinator/cli/devices.h"

namespace meanfield::cli {

struct PredictOptions {
  std::string run_folder;  // output folder of a run
  std::string file;        // one text a line; empty: standard input
  DeviceChoice devices;    // default: the first GPU, or one CPU worker
};

// `meanfield predict`: one line of output a line of input, in order. Call on
// the main thread, before there is another.
int RunPredict(const PredictOptions& options);

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_PREDICT_H_

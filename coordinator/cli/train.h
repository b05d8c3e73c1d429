#ifndef MEANFIELD_COORDINATOR_CLI_TRAIN_H_
#define MEANFIELD_COORDINATOR_CLI_TRAIN_H_

#include <string>
#include <vector>

#include "coordinator/aggregate/exact_mean.h"
#include "coordinator/cli/devices.h"

namespace meanfield::cli {

struct TrainOptions {
  std::string job;  // path; empty with `resume`: the job it began with
  DeviceChoice devices;
  std::vector<std::string> overrides;  // --set
  std::string corpus_root;
  std::string out;      // empty: DefaultOutFolder
  bool resume = false;  // go on with the run in `out`
  bool dry_run = false;
  bool json = false;  // report.json on standard output, progress on error
  aggregate::FoldDevice fold_device = aggregate::FoldDevice::kCpu;
};

// `meanfield train`: coordinator in this process, one worker process a device,
// to the end of the job. Call on the main thread, before there is another.
int RunTrain(const TrainOptions& options);

}  // namespace meanfield::cli

#endif  // MEANFIELD_COORDINATOR_CLI_TRAIN_H_

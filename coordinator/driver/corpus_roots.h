#ifndef MEANFIELD_COORDINATOR_DRIVER_CORPUS_ROOTS_H_
#define MEANFIELD_COORDINATOR_DRIVER_CORPUS_ROOTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "proto/job.pb.h"

namespace meanfield::driver {

// PERMISSION_DENIED where a file that the resolved job names does not lie below
// one of the roots (links followed). No roots: any file.
absl::Status CheckCorpusRoots(const proto::JobSpec& job,
                              const std::vector<std::string>& roots);

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_CORPUS_ROOTS_H_

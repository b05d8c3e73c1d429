#ifndef MEANFIELD_COORDINATOR_JOB_OVERRIDE_H_
#define MEANFIELD_COORDINATOR_JOB_OVERRIDE_H_

#include <string>
#include <vector>

#include "coordinator/job/findings.h"
#include "coordinator/job/position_table.h"
#include "proto/job.pb.h"

namespace meanfield::job {

// Applies `path=value` overrides in order:
//
//   task.training.batch_size=64      `task` alone: where there is only one
//   task[ner].loss_factor=2          a task's name, or its number from 0
//   gpus=[0, 1]                      replaces the list
//   name=run7                        a string needs no quotes
//   server_optimizer=nesterov{learning_rate:0.7 momentum:0.9}
//                                    replaces the message
//
// The last part of a path may be another member of a oneof than the job's;
// an earlier one may not (it would silently drop what the job gave).
void ApplyOverrides(const std::vector<std::string>& overrides,
                    proto::JobSpec& job, PositionTable& positions,
                    Findings& findings);

}  // namespace meanfield::job

#endif  // MEANFIELD_COORDINATOR_JOB_OVERRIDE_H_

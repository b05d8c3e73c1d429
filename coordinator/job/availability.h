#ifndef MEANFIELD_COORDINATOR_JOB_AVAILABILITY_H_
#define MEANFIELD_COORDINATOR_JOB_AVAILABILITY_H_

#include "coordinator/job/findings.h"
#include "coordinator/job/position_table.h"
#include "proto/job.pb.h"

namespace meanfield::job {

// Reports every part of a job that job.proto describes but this version cannot
// run: one fault each, at its position, with what there is instead. Nothing
// inside such a part is reported.
void CheckAvailability(const proto::JobSpec& job,
                       const PositionTable& positions, Findings& findings);

}  // namespace meanfield::job

#endif  // MEANFIELD_COORDINATOR_JOB_AVAILABILITY_H_

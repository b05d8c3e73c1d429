#ifndef MEANFIELD_COORDINATOR_JOB_JOB_TEXT_H_
#define MEANFIELD_COORDINATOR_JOB_JOB_TEXT_H_

#include <cstddef>

#include "coordinator/job/findings.h"
#include "coordinator/job/job.h"
#include "coordinator/job/position_table.h"

namespace meanfield::job {

// Larger files are no jobs.
constexpr size_t kMaxJobBytes = 1 << 20;

// Reads text and overrides into a job as they stand: no defaults, no checks of
// meaning. False: the text cannot be read at all (binary, too large), and
// further checks would mislead.
bool ReadJobText(const JobSource& source, proto::JobSpec& job,
                 PositionTable& positions, Findings& findings);

}  // namespace meanfield::job

#endif  // MEANFIELD_COORDINATOR_JOB_JOB_TEXT_H_

#ifndef MEANFIELD_COORDINATOR_JOB_DEFAULTS_H_
#define MEANFIELD_COORDINATOR_JOB_DEFAULTS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "coordinator/job/position_table.h"
#include "proto/job.pb.h"

namespace meanfield::job {

struct DefaultsContext {
  std::string job_path;  // its stem is the default name
  std::optional<uint32_t> default_shards;
};

// Writes out every default, so that what runs can be read from the job alone:
// those of job.proto in every message that is present, and those that depend
// on the model or the file's name. The job's training moves into each task
// that has none (its positions with it).
void FillDefaults(const DefaultsContext& context, proto::JobSpec& job,
                  PositionTable& positions);

}  // namespace meanfield::job

#endif  // MEANFIELD_COORDINATOR_JOB_DEFAULTS_H_

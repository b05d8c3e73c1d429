#ifndef MEANFIELD_COORDINATOR_DRIVER_RUN_ID_H_
#define MEANFIELD_COORDINATOR_DRIVER_RUN_ID_H_

#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace meanfield::driver {

// "sections-20261130-143611-a1b2": the job's name, with anything but letters,
// digits, '.', '_' and '-' replaced and at most 64 bytes of it, the time of
// submission in UTC, and a suffix that tells runs of one second apart.
std::string MakeRunId(std::string_view job_name, absl::Time wall_now,
                      std::string_view suffix);

}  // namespace meanfield::driver

#endif  // MEANFIELD_COORDINATOR_DRIVER_RUN_ID_H_

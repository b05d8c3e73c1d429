#ifndef MEANFIELD_COORDINATOR_JOB_SCANNER_H_
#define MEANFIELD_COORDINATOR_JOB_SCANNER_H_

#include <string_view>
#include <vector>

#include "coordinator/job/findings.h"
#include "coordinator/job/token.h"

namespace meanfield::job {

// The tokens of a text, ending with one kEnd. Faults (unterminated strings,
// malformed numbers, leading zeros, foreign characters, …) are reported and
// scanning goes on. `start` is the position of the first byte.
std::vector<Token> Scan(std::string_view text, Position start,
                        Findings& findings);

}  // namespace meanfield::job

#endif  // MEANFIELD_COORDINATOR_JOB_SCANNER_H_

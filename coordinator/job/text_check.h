#ifndef MEANFIELD_COORDINATOR_JOB_TEXT_CHECK_H_
#define MEANFIELD_COORDINATOR_JOB_TEXT_CHECK_H_

#include <cstddef>
#include <string_view>

#include "coordinator/job/findings.h"

namespace meanfield::job {

// Bytes of the UTF-8 character that `text` begins with; 0: it is not one
// (overlong forms, surrogates and truncated ones included).
size_t Utf8Length(std::string_view text);

// Whether the bytes are text at all: reports the first byte that is not UTF-8
// and the first NUL, each with how many there are. False: not worth scanning.
bool CheckBytes(std::string_view text, int source, Findings& findings);

}  // namespace meanfield::job

#endif  // MEANFIELD_COORDINATOR_JOB_TEXT_CHECK_H_

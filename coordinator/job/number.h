#ifndef MEANFIELD_COORDINATOR_JOB_NUMBER_H_
#define MEANFIELD_COORDINATOR_JOB_NUMBER_H_

#include <string>
#include <string_view>

#include "coordinator/job/token.h"

namespace meanfield::job {

// What is wrong with a run of digits, letters and dots as a number ("is no
// number", "has a leading zero …"). Empty: nothing, and `kind` says which kind
// of number it is.
std::string NumberFault(std::string_view text, Token::Kind& kind);

// "0x1F".
bool IsHexadecimal(std::string_view text);

}  // namespace meanfield::job

#endif  // MEANFIELD_COORDINATOR_JOB_NUMBER_H_

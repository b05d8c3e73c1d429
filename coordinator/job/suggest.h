#ifndef MEANFIELD_COORDINATOR_JOB_SUGGEST_H_
#define MEANFIELD_COORDINATOR_JOB_SUGGEST_H_

#include <string>
#include <string_view>
#include <vector>

namespace meanfield::job {

// The name among `known` that `name` is most likely a misspelling of (letter
// case aside, swapped neighbours count once); empty where none is near.
std::string Nearest(std::string_view name,
                    const std::vector<std::string>& known);

// "; did you mean "sgd"? Allowed: adam, adamw, sgd", without the first part
// where none is near.
std::string DidYouMean(std::string_view name,
                       const std::vector<std::string>& known);

}  // namespace meanfield::job

#endif  // MEANFIELD_COORDINATOR_JOB_SUGGEST_H_

#ifndef MEANFIELD_COORDINATOR_REPORT_WRAP_H_
#define MEANFIELD_COORDINATOR_REPORT_WRAP_H_

#include <string>
#include <string_view>

namespace meanfield::report {

// Fills lines of at most 80 columns with the text's words; every line starts
// with `indent` and ends with a newline. A longer word has its line to itself.
std::string Wrap(std::string_view text, std::string_view indent);

}  // namespace meanfield::report

#endif  // MEANFIELD_COORDINATOR_REPORT_WRAP_H_

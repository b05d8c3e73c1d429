#ifndef MEANFIELD_COORDINATOR_REPORT_DISPLAY_WIDTH_H_
#define MEANFIELD_COORDINATOR_REPORT_DISPLAY_WIDTH_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace meanfield::report {

// Columns that a UTF-8 text takes on a terminal: two for wide characters, none
// for combining ones, one for a byte that is not UTF-8.
size_t DisplayWidth(std::string_view text);

// The text in exactly `width` columns: padded with blanks, or cut with "…".
// Control characters and bytes that are not UTF-8 become "?".
std::string FitLeft(std::string_view text, size_t width);
std::string FitRight(std::string_view text, size_t width);
// The text, cut with "…" where it takes more than `width` columns.
std::string Cut(std::string_view text, size_t width);

}  // namespace meanfield::report

#endif  // MEANFIELD_COORDINATOR_REPORT_DISPLAY_WIDTH_H_

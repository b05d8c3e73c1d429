#ifndef MEANFIELD_COORDINATOR_REPORT_QUANTITY_H_
#define MEANFIELD_COORDINATOR_REPORT_QUANTITY_H_

#include <cstdint>
#include <string>

namespace meanfield::report {

// For people: "0.42 s", "41.3 s", "3 min 20 s", "2 h 05 min".
std::string Seconds(double seconds);
// "512 B", "84 KB", "412 MB", "1.9 GB" (powers of 1000).
std::string Bytes(uint64_t bytes);
// Four digits after the point; "-" where there is no number.
std::string Score(double value);

}  // namespace meanfield::report

#endif  // MEANFIELD_COORDINATOR_REPORT_QUANTITY_H_

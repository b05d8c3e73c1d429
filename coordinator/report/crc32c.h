#ifndef MEANFIELD_COORDINATOR_REPORT_CRC32C_H_
#define MEANFIELD_COORDINATOR_REPORT_CRC32C_H_

#include <cstdint>
#include <string_view>

namespace meanfield::report {

// CRC-32C (Castagnoli), as RFC 3720 has it.
uint32_t Crc32c(std::string_view bytes);

}  // namespace meanfield::report

#endif  // MEANFIELD_COORDINATOR_REPORT_CRC32C_H_

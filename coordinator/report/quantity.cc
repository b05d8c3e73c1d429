#include "coordinator/report/quantity.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace meanfield::report {

std::string Seconds(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds < 10) return absl::StrFormat("%.2f s", seconds);
  if (seconds < 99.95) return absl::StrFormat("%.1f s", seconds);
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  if (whole < 3600) {
    return absl::StrFormat("%d min %02d s", whole / 60, whole % 60);
  }
  return absl::StrFormat("%d h %02d min", whole / 3600, whole % 3600 / 60);
}

std::string Bytes(uint64_t bytes) {
  if (bytes < 1000) return absl::StrCat(bytes, " B");
  double value = static_cast<double>(bytes);
  const char* unit = "B";
  for (const char* larger : {"KB", "MB", "GB", "TB"}) {
    if (value < 999.5) break;
    value /= 1000;
    unit = larger;
  }
  return value < 9.95 ? absl::StrFormat("%.1f %s", value, unit)
                      : absl::StrFormat("%.0f %s", value, unit);
}

std::string Score(double value) {
  return std::isfinite(value) ? absl::StrFormat("%.4f", value) : "-";
}

}  // namespace meanfield::report

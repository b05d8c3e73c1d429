#include "coordinator/driver/run_id.h"

#include "absl/strings/ascii.h"
#include "common/base/strings.h"

namespace meanfield::driver {
namespace {

constexpr size_t kNameBytes = 64;

bool IsPlain(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' ||
         c == '_' || c == '-';
}

}  // namespace

std::string MakeRunId(std::string_view job_name, absl::Time wall_now,
                      std::string_view suffix) {
  std::string name(job_name.substr(0, kNameBytes));
  for (char& c : name) {
    if (!IsPlain(c)) c = '-';
  }
  // No hidden folder, no option of a command.
  if (name.empty() || name[0] == '.' || name[0] == '-') name = "run" + name;
  return StrCat(
      name, "-",
      absl::FormatTime("%Y%m%d-%H%M%S", wall_now, absl::UTCTimeZone()), "-",
      suffix);
}

}  // namespace meanfield::driver

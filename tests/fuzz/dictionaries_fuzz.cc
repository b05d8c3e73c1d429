// Any text: refused with a status, or dictionaries that their JSON gives back.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/base/check.h"
#include "coordinator/corpus/dictionaries.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using meanfield::corpus::Dictionaries;
  const absl::StatusOr<Dictionaries> dictionaries = Dictionaries::Parse(
      std::string_view(reinterpret_cast<const char*>(data), size));
  if (!dictionaries.ok()) return 0;
  const std::string json = dictionaries->ToJson();
  const absl::StatusOr<Dictionaries> back = Dictionaries::Parse(json);
  MEANFIELD_CHECK(back.ok() && *back == *dictionaries, json);
  return 0;
}

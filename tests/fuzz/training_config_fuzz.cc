// Any text: refused with a status, or a configuration that its canonical JSON
// gives back.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/base/check.h"
#include "common/model/training_config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::StatusOr<meanfield::TrainingConfig> config =
      meanfield::ParseTrainingConfig(
          std::string_view(reinterpret_cast<const char*>(data), size));
  if (!config.ok()) return 0;
  const std::string json = meanfield::ToJson(*config);
  const absl::StatusOr<meanfield::TrainingConfig> back =
      meanfield::ParseTrainingConfig(json);
  MEANFIELD_CHECK(back.ok() && *back == *config, json);
  return 0;
}

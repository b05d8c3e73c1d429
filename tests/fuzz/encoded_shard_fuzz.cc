// Any bytes: refused with a status, or a shard whose samples can be read.
#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "common/base/check.h"
#include "common/model/encoded_shard.h"
#include "common/tensor/safetensors.h"

namespace meanfield {
namespace {

void CheckShard(const EncodedShard& shard) {
  size_t ids = 0;
  for (int64_t i = 0; i < shard.size(); ++i) {
    const auto begin = static_cast<size_t>(shard.offsets[i]);
    const auto end = static_cast<size_t>(shard.offsets[i + 1]);
    MEANFIELD_CHECK(begin <= end && end <= shard.ids.size(), "offsets");
    ids += shard.ids.subspan(begin, end - begin).size();
  }
  MEANFIELD_CHECK(ids == shard.ids.size(), "every id once");
  MEANFIELD_CHECK(shard.tags.empty() || shard.tags.size() == ids, "tags");
}

}  // namespace
}  // namespace meanfield

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::StatusOr<meanfield::SafetensorsFile> file =
      meanfield::SafetensorsFile::Parse(std::as_bytes(std::span(data, size)),
                                        "input");
  if (!file.ok()) return 0;
  const absl::StatusOr<meanfield::EncodedShard> shard =
      meanfield::ViewEncodedShard(*file);
  if (shard.ok()) meanfield::CheckShard(*shard);
  return 0;
}

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

// Every element once, each within its samples.
void CheckOffsets(std::span<const int64_t> offsets, size_t end) {
  size_t seen = 0;
  for (size_t i = 1; i < offsets.size(); ++i) {
    const auto first = static_cast<size_t>(offsets[i - 1]);
    const auto last = static_cast<size_t>(offsets[i]);
    MEANFIELD_CHECK(first <= last && last <= end, "offsets");
    seen += last - first;
  }
  MEANFIELD_CHECK(seen == end, "every element once");
}

void CheckShard(const EncodedShard& shard) {
  const auto tokens = static_cast<size_t>(shard.num_tokens());
  CheckOffsets(shard.offsets, tokens);
  if (tokens > 0) MEANFIELD_CHECK(shard.ids.size() % tokens == 0, "rows");
  MEANFIELD_CHECK(shard.tags.empty() || shard.tags.size() == tokens, "tags");
  if (!shard.label_offsets.empty()) {
    CheckOffsets(shard.label_offsets, shard.labels.size());
  }
  if (shard.character_offsets.empty()) return;
  CheckOffsets(shard.character_offsets, shard.characters.size());
  for (const int32_t word : shard.words) {
    const auto next = static_cast<size_t>(word) + 1;
    MEANFIELD_CHECK(word >= 0 && next < shard.character_offsets.size(), "word");
  }
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

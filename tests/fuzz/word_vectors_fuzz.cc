// Any bytes as a text and as a binary file of word vectors: refused with a
// status, or rows whose values are finite or refused.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/check.h"
#include "coordinator/corpus/word_vector_rows.h"

namespace meanfield::corpus {
namespace {

void Check(const absl::StatusOr<WordVectorRows>& table) {
  if (!table.ok()) return;
  MEANFIELD_CHECK(!table->rows.empty(), "no row");
  std::vector<float> values(static_cast<size_t>(table->vector_size));
  for (const WordVectorRows::Row& row : table->rows) {
    if (!ReadValues(*table, row, values).ok()) continue;
    for (const float value : values) {
      MEANFIELD_CHECK(std::isfinite(value), "finite");
    }
  }
}

}  // namespace
}  // namespace meanfield::corpus

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace meanfield::corpus;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Check(ParseTextVectors(bytes, "text"));
  Check(ParseBinaryVectors(bytes, "binary"));
  return 0;
}

// Any bytes: refused with a status, or views that agree with their specs and
// that the writer can lay out.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/check.h"
#include "common/tensor/safetensors.h"
#include "common/tensor/safetensors_header.h"

namespace meanfield {
namespace {

void CheckViews(const SafetensorsFile& file) {
  size_t touched = 0;
  for (const TensorView& tensor : file.tensors()) {
    MEANFIELD_CHECK(tensor.bytes.size() == NumBytes(tensor.spec),
                    tensor.spec.name);
    MEANFIELD_CHECK(file.Find(tensor.spec.name) == &tensor, tensor.spec.name);
    for (const std::byte byte : tensor.bytes) {
      touched += std::to_integer<size_t>(byte);
    }
  }
  MEANFIELD_CHECK(touched <= 255 * file.file_size(), "sum of bytes");
}

void CheckLayout(const SafetensorsFile& file) {
  std::vector<TensorSpec> specs;
  for (const TensorView& tensor : file.tensors()) specs.push_back(tensor.spec);
  const absl::StatusOr<std::vector<SafetensorsEntry>> laid_out =
      LayOutSafetensors(specs);
  MEANFIELD_CHECK(laid_out.ok(), laid_out.status().ToString());
  const std::string header = FormatSafetensorsHeader(*laid_out);
  MEANFIELD_CHECK(header.size() % kSafetensorsAlignment == 0, header);
  const absl::StatusOr<std::vector<SafetensorsEntry>> back =
      ParseSafetensorsHeader(
          std::string_view(header).substr(kSafetensorsLengthBytes),
          laid_out->empty() ? 0 : laid_out->back().end);
  MEANFIELD_CHECK(back.ok(), back.status().ToString());
  MEANFIELD_CHECK(back->size() == specs.size(), header);
}

}  // namespace
}  // namespace meanfield

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::StatusOr<meanfield::SafetensorsFile> file =
      meanfield::SafetensorsFile::Parse(std::as_bytes(std::span(data, size)),
                                        "input");
  if (!file.ok()) return 0;
  meanfield::CheckViews(*file);
  meanfield::CheckLayout(*file);
  return 0;
}

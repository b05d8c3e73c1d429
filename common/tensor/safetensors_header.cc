#include "common/tensor/safetensors_header.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/tensor/safetensors_sax.h"
#include "common/tensor/tensor_spec.h"
#include "nlohmann/json.hpp"

namespace meanfield {
namespace {

absl::Status Invalid(const TensorSpec& spec, std::string_view fault) {
  return absl::InvalidArgumentError(
      StrCat("tensor ", DebugString(spec), ": ", fault));
}

absl::Status CheckBytes(const SafetensorsEntry& entry, uint64_t data_bytes) {
  MEANFIELD_RETURN_IF_ERROR(ValidateTensorSpec(entry.spec));
  if (entry.begin > entry.end || entry.end > data_bytes) {
    return Invalid(entry.spec,
                   StrCat("data_offsets [", entry.begin, ", ", entry.end,
                          "] are outside the ", data_bytes, " bytes of data"));
  }
  if (entry.end - entry.begin != NumBytes(entry.spec)) {
    return Invalid(entry.spec,
                   StrCat("data_offsets [", entry.begin, ", ", entry.end,
                          "] hold ", entry.end - entry.begin,
                          " bytes, its shape needs ", NumBytes(entry.spec)));
  }
  return absl::OkStatus();
}

absl::Status CheckCover(const std::vector<SafetensorsEntry>& entries,
                        uint64_t data_bytes) {
  uint64_t covered = 0;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.begin != covered) {
      return Invalid(
          entry.spec,
          StrCat("its data start at byte ", entry.begin, ", a ",
                 entry.begin > covered ? "gap after" : "overlap with",
                 " the bytes before ", covered));
    }
    covered = entry.end;
  }
  if (covered != data_bytes) {
    return absl::InvalidArgumentError(
        StrCat("the tensors end at byte ", covered, " of ", data_bytes,
               " bytes of data: the file has bytes of no tensor"));
  }
  return absl::OkStatus();
}

bool IsUtf8(const std::string& text) {
  using nlohmann::json;
  const std::string quoted =
      json(text).dump(-1, ' ', false, json::error_handler_t::ignore);
  const json back = json::parse(quoted, nullptr, /*allow_exceptions=*/false);
  return back.is_string() && back.get_ref<const std::string&>() == text;
}

absl::Status CheckNames(const std::vector<TensorSpec>& specs) {
  std::vector<std::string_view> names;
  for (const TensorSpec& spec : specs) {
    MEANFIELD_RETURN_IF_ERROR(ValidateTensorSpec(spec));
    if (spec.name == kSafetensorsMetadata) {
      return Invalid(spec, "the name is reserved by the format");
    }
    if (!IsUtf8(spec.name)) return Invalid(spec, "the name is not UTF-8");
    names.push_back(spec.name);
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) {
    return absl::InvalidArgumentError(
        StrCat("tensor ", *twice, " is there twice"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<SafetensorsEntry>> ParseSafetensorsHeader(
    std::string_view json, uint64_t data_bytes) {
  if (json.empty() || json.front() != '{') {
    return absl::InvalidArgumentError(
        "the header does not start with '{': not a safetensors file");
  }
  SafetensorsSax sax;
  if (!nlohmann::json::sax_parse(json, &sax)) {
    return absl::InvalidArgumentError(sax.fault());
  }
  std::vector<SafetensorsEntry> entries = sax.TakeEntries();
  for (const SafetensorsEntry& entry : entries) {
    MEANFIELD_RETURN_IF_ERROR(CheckBytes(entry, data_bytes));
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
                     return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
                   });
  MEANFIELD_RETURN_IF_ERROR(CheckCover(entries, data_bytes));
  return entries;
}

absl::StatusOr<std::vector<SafetensorsEntry>> LayOutSafetensors(
    std::vector<TensorSpec> specs) {
  MEANFIELD_RETURN_IF_ERROR(CheckNames(specs));
  std::sort(specs.begin(), specs.end(),
            [](const TensorSpec& a, const TensorSpec& b) {
              const size_t size_a = SizeOf(a.dtype);
              const size_t size_b = SizeOf(b.dtype);
              return size_a != size_b ? size_a > size_b : a.name < b.name;
            });
  std::vector<SafetensorsEntry> entries;
  uint64_t end = 0;
  for (TensorSpec& spec : specs) {
    const uint64_t begin = end;
    end += NumBytes(spec);
    if (end > uint64_t{1} << 62) {
      return Invalid(spec, "the file would be larger than 2^62 bytes");
    }
    entries.push_back({std::move(spec), begin, end});
  }
  return entries;
}

std::string FormatSafetensorsHeader(
    const std::vector<SafetensorsEntry>& entries) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  header[kSafetensorsMetadata] = {{"format", "pt"}};
  for (const SafetensorsEntry& entry : entries) {
    header[entry.spec.name] = {{"dtype", DTypeName(entry.spec.dtype)},
                               {"shape", entry.spec.shape},
                               {"data_offsets", {entry.begin, entry.end}}};
  }
  std::string json = header.dump();
  const size_t past =
      (kSafetensorsLengthBytes + json.size()) % kSafetensorsAlignment;
  if (past != 0) json.append(kSafetensorsAlignment - past, ' ');
  std::string bytes;
  for (size_t i = 0; i < kSafetensorsLengthBytes; ++i) {
    bytes.push_back(static_cast<char>((json.size() >> (8 * i)) & 0xff));
  }
  return bytes + json;
}

}  // namespace meanfield

#include "coordinator/corpus/encoding_guess.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "coordinator/corpus/mapped_file.h"

namespace meanfield::corpus {
namespace {

struct Utf8Census {
  uint64_t several_bytes = 0;  // well-formed characters beyond ASCII
  uint64_t ill_formed = 0;     // bytes that begin no character
};

Utf8Census Count(std::string_view bytes) {
  Utf8Census census;
  while (true) {
    const size_t at =
        std::min(FindInvalid(bytes, Encoding::kUtf8), bytes.size());
    census.several_bytes += static_cast<uint64_t>(std::count_if(
        bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(at),
        [](char c) { return static_cast<unsigned char>(c) >= 0xC0; }));
    if (at == bytes.size()) return census;
    ++census.ill_formed;
    bytes.remove_prefix(at + 1);
  }
}

}  // namespace

absl::StatusOr<Encoding> GuessEncoding(std::string_view bytes) {
  constexpr uint64_t kRare = 4;  // good characters for each bad byte
  const Utf8Census census = Count(bytes);
  if (census.ill_formed == 0 ||
      census.several_bytes >= kRare * census.ill_formed) {
    return Encoding::kUtf8;
  }
  const bool controls = std::any_of(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 && byte < 0xA0;
  });
  if (!controls) return Encoding::kLatin1;
  const size_t unassigned = FindInvalid(bytes, Encoding::kWindows1252);
  if (unassigned == std::string_view::npos) return Encoding::kWindows1252;
  return absl::InvalidArgumentError(absl::StrFormat(
      "saw %d bytes that are not utf-8 beside %d characters that are, and byte "
      "0x%02X at offset %d, which windows-1252 does not have; expected text in "
      "utf-8, iso-8859-1 or windows-1252: say which with --encoding",
      census.ill_formed, census.several_bytes,
      static_cast<unsigned char>(bytes[unassigned]), unassigned));
}

absl::StatusOr<Encoding> GuessFileEncoding(const std::string& path) {
  MEANFIELD_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
  absl::StatusOr<Encoding> encoding = GuessEncoding(file.bytes());
  if (encoding.ok()) return encoding;
  return absl::Status(encoding.status().code(),
                      StrCat(path, ": ", StdView(encoding.status().message())));
}

}  // namespace meanfield::corpus

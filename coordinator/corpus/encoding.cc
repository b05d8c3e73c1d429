#include "coordinator/corpus/encoding.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "absl/strings/match.h"
#include "common/base/strings.h"

namespace meanfield::corpus {
namespace {

constexpr uint16_t kUnassigned = 0xFFFD;

// Windows-1252 differs from ISO-8859-1 in these 32 places.
constexpr std::array<uint16_t, 32> kWindows1252From0x80 = {
    0x20AC, kUnassigned, 0x201A,      0x0192, 0x201E, 0x2026, 0x2020,
    0x2021, 0x02C6,      0x2030,      0x0160, 0x2039, 0x0152, kUnassigned,
    0x017D, kUnassigned, kUnassigned, 0x2018, 0x2019, 0x201C, 0x201D,
    0x2022, 0x2013,      0x2014,      0x02DC, 0x2122, 0x0161, 0x203A,
    0x0153, kUnassigned, 0x017E,      0x0178};

uint16_t CodePoint(unsigned char byte, Encoding encoding) {
  if (encoding == Encoding::kWindows1252 && byte >= 0x80 && byte < 0xA0) {
    return kWindows1252From0x80[byte - 0x80];
  }
  return byte;
}

// Length of the run of ASCII at the start; eight bytes at a time.
size_t AsciiLength(std::string_view bytes) {
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + i, 8);
    if ((word & 0x8080808080808080u) != 0) break;
  }
  while (i < bytes.size() && static_cast<unsigned char>(bytes[i]) < 0x80) ++i;
  return i;
}

size_t FindInvalidUtf8(std::string_view bytes) {
  size_t i = 0;
  while (true) {
    i += AsciiLength(bytes.substr(i));
    if (i == bytes.size()) return std::string_view::npos;
    utf8proc_int32_t code_point;
    const utf8proc_ssize_t length = utf8proc_iterate(
        reinterpret_cast<const utf8proc_uint8_t*>(bytes.data()) + i,
        static_cast<utf8proc_ssize_t>(bytes.size() - i), &code_point);
    if (length <= 0) return i;
    i += static_cast<size_t>(length);
  }
}

// Length of the maximal ill-formed part of UTF-8 that `bytes` begin with.
size_t IllFormedLength(std::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes[0]);
  size_t length = 1;  // of the whole sequence
  if (lead >= 0xC2 && lead <= 0xDF) length = 2;
  if (lead >= 0xE0 && lead <= 0xEF) length = 3;
  if (lead >= 0xF0 && lead <= 0xF4) length = 4;
  // The second byte's range; further ones are 80 … BF.
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (lead == 0xE0) low = 0xA0;
  if (lead == 0xED) high = 0x9F;
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;
  size_t i = 1;
  for (; i < std::min(length, bytes.size()); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if (byte < low || byte > high) break;
    low = 0x80;
    high = 0xBF;
  }
  return i;
}

std::string ReplaceIllFormed(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (true) {
    const size_t at = FindInvalidUtf8(bytes);
    text.append(bytes.substr(0, at));
    if (at == std::string_view::npos) return text;
    text.append("\xEF\xBF\xBD");
    bytes.remove_prefix(at);
    bytes.remove_prefix(IllFormedLength(bytes));
  }
}

}  // namespace

absl::StatusOr<Encoding> ParseEncoding(std::string_view name) {
  for (Encoding encoding :
       {Encoding::kUtf8, Encoding::kLatin1, Encoding::kWindows1252}) {
    if (absl::EqualsIgnoreCase(AbslView(name),
                               AbslView(EncodingName(encoding))))
      return encoding;
  }
  return absl::InvalidArgumentError(StrCat(
      "encoding \"", name, "\": expected utf-8, iso-8859-1 or windows-1252"));
}

std::string_view EncodingName(Encoding encoding) {
  switch (encoding) {
    case Encoding::kUtf8:
      return "utf-8";
    case Encoding::kLatin1:
      return "iso-8859-1";
    case Encoding::kWindows1252:
      return "windows-1252";
  }
  return "";
}

size_t FindInvalid(std::string_view bytes, Encoding encoding) {
  switch (encoding) {
    case Encoding::kUtf8:
      return FindInvalidUtf8(bytes);
    case Encoding::kLatin1:
      return std::string_view::npos;
    case Encoding::kWindows1252:
      return bytes.find_first_of("\x81\x8D\x8F\x90\x9D");
  }
  return std::string_view::npos;
}

std::string ToUtf8(std::string_view bytes, Encoding encoding) {
  if (encoding == Encoding::kUtf8) return ReplaceIllFormed(bytes);
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 8);
  for (const char c : bytes) {
    utf8proc_uint8_t encoded[4];
    const utf8proc_ssize_t length = utf8proc_encode_char(
        CodePoint(static_cast<unsigned char>(c), encoding), encoded);
    text.append(reinterpret_cast<const char*>(encoded),
                static_cast<size_t>(length));
  }
  return text;
}

}  // namespace meanfield::corpus

#include "coordinator/corpus/white_space.h"

#include <cstddef>

namespace meanfield::corpus {
namespace {

bool IsAsciiSpace(unsigned char c) { return c == ' ' || (c >= 9 && c <= 13); }

bool IsThreeByteSpace(unsigned char a, unsigned char b, unsigned char c) {
  if (a == 0xE1) return b == 0x9A && c == 0x80;  // U+1680
  if (a == 0xE3) return b == 0x80 && c == 0x80;  // U+3000
  if (a != 0xE2) return false;
  if (b == 0x81) return c == 0x9F;  // U+205F
  return b == 0x80 &&               // U+2000 … 200A, 2028, 2029, 202F
         (c <= 0x8A || c == 0xA8 || c == 0xA9 || c == 0xAF);
}

// Length of the white space character that starts at `i`; 0: none.
size_t SpaceLength(std::string_view text, size_t i) {
  const auto at = [&](size_t k) { return static_cast<unsigned char>(text[k]); };
  if (IsAsciiSpace(at(i))) return 1;
  if (at(i) < 0x80) return 0;
  if (at(i) == 0xC2 && i + 1 < text.size()) {
    return at(i + 1) == 0x85 || at(i + 1) == 0xA0 ? 2 : 0;
  }
  if (i + 2 < text.size() && IsThreeByteSpace(at(i), at(i + 1), at(i + 2))) {
    return 3;
  }
  return 0;
}

}  // namespace

bool IsBlank(std::string_view line) {
  for (const char c : line) {
    if (!IsAsciiSpace(static_cast<unsigned char>(c))) return false;
  }
  return true;
}

std::string_view TrimBlanks(std::string_view field) {
  while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
  while (!field.empty() && field.back() == ' ') field.remove_suffix(1);
  return field;
}

void SplitAtWhiteSpace(std::string_view text,
                       std::vector<std::string_view>& words) {
  words.clear();
  size_t begin = 0;
  for (size_t i = 0; i < text.size();) {
    const size_t space = SpaceLength(text, i);
    if (space == 0) {
      ++i;
      continue;
    }
    if (i > begin) words.push_back(text.substr(begin, i - begin));
    i += space;
    begin = i;
  }
  if (begin < text.size()) words.push_back(text.substr(begin));
}

}  // namespace meanfield::corpus

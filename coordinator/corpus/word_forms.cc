#include "coordinator/corpus/word_forms.h"

#include <utf8proc.h>

#include <cstddef>

namespace meanfield::corpus {
namespace {

constexpr utf8proc_int32_t kCapitalDottedI = 0x130;
constexpr utf8proc_int32_t kCapitalSigma = 0x3A3;

struct Character {
  utf8proc_int32_t code = -1;  // -1: a byte that is no character
  std::string_view bytes;
};

std::vector<Character> Decode(std::string_view text) {
  std::vector<Character> characters;
  const auto* data = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (size_t at = 0; at < text.size();) {
    Character character;
    const utf8proc_ssize_t length = utf8proc_iterate(
        data + at, static_cast<utf8proc_ssize_t>(text.size() - at),
        &character.code);
    const size_t size = length > 0 ? static_cast<size_t>(length) : 1;
    if (length <= 0) character.code = -1;
    character.bytes = text.substr(at, size);
    characters.push_back(character);
    at += size;
  }
  return characters;
}

void Append(utf8proc_int32_t code, std::string& text) {
  utf8proc_uint8_t bytes[4];
  const utf8proc_ssize_t length = utf8proc_encode_char(code, bytes);
  text.append(reinterpret_cast<const char*>(bytes),
              static_cast<size_t>(length));
}

bool IsCased(utf8proc_int32_t code) {
  const utf8proc_category_t category = utf8proc_category(code);
  return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LL ||
         category == UTF8PROC_CATEGORY_LT;
}

// A capital sigma at the end of a word, which has a lower case of its own.
bool IsFinalSigma(const std::vector<Character>& characters, size_t at) {
  const bool after = at > 0 && IsCased(characters[at - 1].code);
  const bool before =
      at + 1 < characters.size() && IsCased(characters[at + 1].code);
  return after && !before;
}

}  // namespace

std::string LowerCase(std::string_view word) {
  const std::vector<Character> characters = Decode(word);
  std::string lower;
  lower.reserve(word.size());
  for (size_t i = 0; i < characters.size(); ++i) {
    const utf8proc_int32_t code = characters[i].code;
    if (code < 0) {
      lower.append(characters[i].bytes);
    } else if (code == kCapitalDottedI) {
      lower.append("i\xCC\x87");  // i and U+0307
    } else if (code == kCapitalSigma && IsFinalSigma(characters, i)) {
      lower.append("\xCF\x82");  // U+03C2
    } else {
      Append(utf8proc_tolower(code), lower);
    }
  }
  return lower;
}

std::string WithDigitsAs(char replacement, std::string_view word) {
  std::string replaced;
  replaced.reserve(word.size());
  for (const Character& character : Decode(word)) {
    if (character.code >= 0 &&
        utf8proc_category(character.code) == UTF8PROC_CATEGORY_ND) {
      replaced.push_back(replacement);
    } else {
      replaced.append(character.bytes);
    }
  }
  return replaced;
}

std::vector<std::string_view> Characters(std::string_view word) {
  std::vector<std::string_view> views;
  for (const Character& character : Decode(word)) {
    views.push_back(character.bytes);
  }
  return views;
}

}  // namespace meanfield::corpus

#include "coordinator/corpus/odd_characters.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/base/strings.h"
#include "coordinator/corpus/fault_list.h"

namespace meanfield::corpus {
namespace {

enum Kind : size_t { kControl, kReplacement, kInvisible, kNoBreak, kNumKinds };

struct KindText {
  std::string_view name;
  std::string_view what;
};
constexpr std::array<KindText, kNumKinds> kTexts = {{
    {"control_characters", "lines with control characters"},
    {"replacement_characters",
     "lines with U+FFFD, which an earlier conversion left"},
    {"invisible_characters",
     "lines with invisible characters (zero-width blanks, soft hyphens)"},
    {"no_break_spaces", "lines with no-break spaces"},
}};

// The character that starts at `at`: its length and code point, of well-formed
// UTF-8.
struct Character {
  size_t length = 1;
  uint32_t code_point = 0;
};

Character Decode(std::string_view line, size_t at) {
  const auto byte = [&](size_t i) {
    return at + i < line.size() ? static_cast<unsigned char>(line[at + i]) : 0u;
  };
  const uint32_t lead = byte(0);
  const auto more = [&](size_t i) { return byte(i) & 0x3Fu; };
  if (lead < 0xC0) return {1, lead};
  if (lead < 0xE0) return {2, (lead & 0x1F) << 6 | more(1)};
  if (lead < 0xF0) return {3, (lead & 0x0F) << 12 | more(1) << 6 | more(2)};
  return {4, (lead & 0x07) << 18 | more(1) << 12 | more(2) << 6 | more(3)};
}

// kNumKinds: nothing odd.
Kind KindOf(uint32_t code_point) {
  if (code_point < 0x20 && code_point != '\t') return kControl;
  if (code_point == 0x7F) return kControl;
  if (code_point == 0xFFFD) return kReplacement;
  if (code_point == 0xA0 || code_point == 0x202F) return kNoBreak;
  if ((code_point >= 0x200B && code_point <= 0x200F) || code_point == 0xAD ||
      code_point == 0x2060 || code_point == 0xFEFF) {
    return kInvisible;
  }
  return kNumKinds;
}

std::array<bool, kNumKinds> KindsIn(std::string_view line) {
  std::array<bool, kNumKinds + 1> seen = {};
  for (size_t at = 0; at < line.size();) {
    const Character character = Decode(line, at);
    seen[KindOf(character.code_point)] = true;
    at += character.length;
  }
  std::array<bool, kNumKinds> kinds = {};
  for (size_t kind = 0; kind < kNumKinds; ++kind) kinds[kind] = seen[kind];
  return kinds;
}

}  // namespace

std::vector<Finding> FindOddCharacters(const TextFile& file) {
  constexpr size_t kExamples = 3;
  std::array<Finding, kNumKinds> found;
  for (LineCursor cursor(file); cursor.Next();) {
    const std::array<bool, kNumKinds> kinds = KindsIn(cursor.line());
    for (size_t kind = 0; kind < kNumKinds; ++kind) {
      // A character that the reader itself put there is a bad line.
      if (!kinds[kind] || (kind == kReplacement &&
                           file.IsFaulty(cursor.number(), cursor.number()))) {
        continue;
      }
      Finding& finding = found[kind];
      if (finding.count++ < kExamples) {
        finding.examples.push_back(StrCat(file.name(), ":", cursor.number(),
                                          ": ", Quoted(cursor.line())));
      }
    }
  }
  std::vector<Finding> findings;
  for (size_t kind = 0; kind < kNumKinds; ++kind) {
    if (found[kind].count == 0) continue;
    found[kind].kind = std::string(kTexts[kind].name);
    found[kind].what = std::string(kTexts[kind].what);
    findings.push_back(std::move(found[kind]));
  }
  return findings;
}

}  // namespace meanfield::corpus

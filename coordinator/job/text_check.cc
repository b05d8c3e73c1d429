#include "coordinator/job/text_check.h"

#include <optional>

#include "absl/strings/str_format.h"
#include "common/base/strings.h"

namespace meanfield::job {
namespace {

bool IsContinuation(char c) { return (c & 0xC0) == 0x80; }

struct ByteFaults {
  std::optional<Position> first;
  unsigned char byte = 0;
  size_t count = 0;
  void Add(Position at, char c) {
    if (!first.has_value()) {
      first = at;
      byte = static_cast<unsigned char>(c);
    }
    ++count;
  }
};

std::string AndMore(size_t count) {
  return count == 1 ? "" : StrCat(" (", count, " in all)");
}

void Report(const ByteFaults& nuls, const ByteFaults& foreign,
            Findings& findings) {
  if (nuls.first.has_value()) {
    findings.AddFault(*nuls.first, StrCat("NUL byte", AndMore(nuls.count),
                                          "; a job file is plain text"));
  }
  if (foreign.first.has_value()) {
    findings.AddFault(
        *foreign.first,
        absl::StrFormat("byte 0x%02x is not UTF-8%s; save the file as UTF-8",
                        foreign.byte, AndMore(foreign.count)));
  }
}

}  // namespace

size_t Utf8Length(std::string_view text) {
  const auto byte = [&](size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  if (text.empty()) return 0;
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!IsContinuation(text[i])) return 0;
  }
  const bool overlong =
      (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xED && byte(1) >= 0xA0;
  const bool beyond = lead == 0xF4 && byte(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

bool CheckBytes(std::string_view text, int source, Findings& findings) {
  Position at = {source, 1, 1};
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    findings.AddFault(at, "the file is UTF-16; save it as UTF-8");
    return false;
  }
  ByteFaults nuls, foreign;
  for (size_t i = 0; i < text.size();) {
    const size_t length = Utf8Length(text.substr(i));
    if (text[i] == '\0') nuls.Add(at, text[i]);
    if (length == 0) foreign.Add(at, text[i]);
    if (text[i] == '\n') {
      ++at.line;
      at.column = 0;
    }
    ++at.column;
    i += length == 0 ? 1 : length;
  }
  Report(nuls, foreign, findings);
  // A text with a stray byte is read on; a binary file is not.
  return (nuls.count + foreign.count) * 10 <= text.size();
}

}  // namespace meanfield::job

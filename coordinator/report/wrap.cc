#include "coordinator/report/wrap.h"

#include "absl/strings/str_split.h"
#include "common/base/strings.h"
#include "coordinator/report/display_width.h"

namespace meanfield::report {
namespace {

constexpr size_t kLineWidth = 80;

}  // namespace

std::string Wrap(std::string_view text, std::string_view indent) {
  std::string wrapped;
  std::string line;
  for (const absl::string_view piece : absl::StrSplit(
           AbslView(text), absl::ByAnyChar(" \n\t"), absl::SkipEmpty())) {
    const std::string word(piece);
    const size_t width =
        indent.size() + DisplayWidth(line) + 1 + DisplayWidth(word);
    if (!line.empty() && width > kLineWidth) {
      wrapped += StrCat(indent, line, "\n");
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty()) wrapped += StrCat(indent, line, "\n");
  return wrapped;
}

}  // namespace meanfield::report

#include "coordinator/report/display_width.h"

#include <utf8proc.h>

#include <algorithm>

namespace meanfield::report {
namespace {

struct Character {
  std::string_view bytes;
  size_t width = 0;
};

// The first character of a text that is not empty.
Character Next(std::string_view text) {
  utf8proc_int32_t code = 0;
  const auto size =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                       static_cast<utf8proc_ssize_t>(text.size()), &code);
  if (size <= 0) return {.bytes = "?", .width = 1};
  const auto category = utf8proc_category(code);
  if (category == UTF8PROC_CATEGORY_CC) return {.bytes = "?", .width = 1};
  return {.bytes = text.substr(0, static_cast<size_t>(size)),
          .width = static_cast<size_t>(std::max(utf8proc_charwidth(code), 0))};
}

// How many bytes of `text` the character stands for.
size_t BytesRead(std::string_view text) {
  utf8proc_int32_t code = 0;
  const auto size =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                       static_cast<utf8proc_ssize_t>(text.size()), &code);
  return size <= 0 ? 1 : static_cast<size_t>(size);
}

// As much as fits into `width` columns.
std::string Prefix(std::string_view text, size_t width) {
  std::string prefix;
  size_t used = 0;
  while (!text.empty()) {
    const Character next = Next(text);
    if (used + next.width > width) break;
    used += next.width;
    prefix += next.bytes;
    text.remove_prefix(BytesRead(text));
  }
  return prefix;
}

}  // namespace

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    width += Next(text).width;
    text.remove_prefix(BytesRead(text));
  }
  return width;
}

std::string Cut(std::string_view text, size_t width) {
  if (DisplayWidth(text) <= width) return Prefix(text, width);
  return width == 0 ? "" : Prefix(text, width - 1) + "…";
}

std::string FitLeft(std::string_view text, size_t width) {
  std::string cut = Cut(text, width);
  cut.append(width - DisplayWidth(cut), ' ');
  return cut;
}

std::string FitRight(std::string_view text, size_t width) {
  const std::string cut = Cut(text, width);
  return std::string(width - DisplayWidth(cut), ' ') + cut;
}

}  // namespace meanfield::report

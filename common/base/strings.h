#ifndef MEANFIELD_COMMON_BASE_STRINGS_H_
#define MEANFIELD_COMMON_BASE_STRINGS_H_

#include <string>
#include <string_view>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace meanfield {

// Distributions build Abseil with its own string_view, which does not convert
// from std::string_view. For arguments of Abseil's functions.
inline absl::string_view AbslView(std::string_view text) {
  return absl::string_view(text.data(), text.size());
}
inline std::string_view StdView(absl::string_view text) {
  return std::string_view(text.data(), text.size());
}

namespace strings_internal {
template <typename T>
decltype(auto) Piece(const T& value) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    return AbslView(value);
  } else {
    return (value);
  }
}
}  // namespace strings_internal

// absl::StrCat and absl::StrAppend that take std::string_view, too. Call them
// without `absl::`.
template <typename... Args>
std::string StrCat(const Args&... args) {
  return absl::StrCat(strings_internal::Piece(args)...);
}
template <typename... Args>
void StrAppend(std::string* text, const Args&... args) {
  absl::StrAppend(text, strings_internal::Piece(args)...);
}

}  // namespace meanfield

#endif  // MEANFIELD_COMMON_BASE_STRINGS_H_

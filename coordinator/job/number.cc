#include "coordinator/job/number.h"

#include <cstddef>

#include "absl/strings/ascii.h"

namespace meanfield::job {
namespace {

bool IsDigits(std::string_view text) {
  for (char c : text) {
    if (!absl::ascii_isdigit(c)) return false;
  }
  return !text.empty();
}

}  // namespace

std::string NumberFault(std::string_view text, Token::Kind& kind) {
  if (IsHexadecimal(text)) {
    for (char c : text.substr(2)) {
      if (!absl::ascii_isxdigit(c)) return "is no number";
    }
    kind = Token::Kind::kInteger;
    return text.size() > 2 ? "" : "is no number";
  }
  const size_t exponent_at = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, exponent_at);
  const size_t dot = mantissa.find('.');
  const std::string_view whole = mantissa.substr(0, dot);
  const std::string_view fraction =
      dot == std::string_view::npos ? "" : mantissa.substr(dot + 1);
  if ((!whole.empty() && !IsDigits(whole)) ||
      (!fraction.empty() && !IsDigits(fraction)) ||
      (whole.empty() && fraction.empty())) {
    return "is no number";
  }
  if (exponent_at != std::string_view::npos) {
    std::string_view exponent = text.substr(exponent_at + 1);
    if (!exponent.empty() && (exponent[0] == '+' || exponent[0] == '-')) {
      exponent.remove_prefix(1);
    }
    if (!IsDigits(exponent)) return "is no number: its exponent is malformed";
  }
  if (whole.size() > 1 && whole[0] == '0') {
    return "has a leading zero (which would make it octal); leave the zero out";
  }
  kind = mantissa.size() == text.size() && dot == std::string_view::npos
             ? Token::Kind::kInteger
             : Token::Kind::kFloat;
  return "";
}

bool IsHexadecimal(std::string_view text) {
  return text.starts_with("0x") || text.starts_with("0X");
}

}  // namespace meanfield::job

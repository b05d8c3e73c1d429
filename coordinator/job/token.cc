#include "coordinator/job/token.h"

#include "absl/strings/escaping.h"
#include "common/base/strings.h"

namespace meanfield::job {
namespace {

// Longer texts would hide the message that they stand in.
constexpr size_t kMaxShown = 60;

}  // namespace

std::string Describe(const Token& token) {
  if (token.IsEnd()) return "the end";
  if (token.kind == Token::Kind::kSymbol) {
    return StrCat("'", token.text, "'");
  }
  std::string shown = token.text;
  if (shown.size() > kMaxShown) {
    shown.resize(kMaxShown);
    shown += "...";
  }
  if (token.IsString()) {
    return StrCat("\"", absl::Utf8SafeCEscape(shown), "\"");
  }
  return shown;
}

}  // namespace meanfield::job

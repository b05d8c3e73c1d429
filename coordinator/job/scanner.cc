#include "coordinator/job/scanner.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "common/base/strings.h"
#include "coordinator/job/number.h"
#include "coordinator/job/text_check.h"

namespace meanfield::job {
namespace {

using Kind = Token::Kind;

constexpr std::string_view kSymbols = "{}[]<>:,;-=";
constexpr std::string_view kClosers = "}]>";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kNoBreakSpace = "\xC2\xA0";
constexpr std::string_view kOpenQuote = "\xE2\x80\x9C";
constexpr std::string_view kCloseQuote = "\xE2\x80\x9D";

void AppendUtf8(uint32_t code_point, std::string& out) {
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xC0 | code_point >> 6);
    out += static_cast<char>(0x80 | (code_point & 0x3F));
  } else {
    out += static_cast<char>(0xE0 | code_point >> 12);
    out += static_cast<char>(0x80 | (code_point >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code_point & 0x3F));
  }
}

class Scanner {
 public:
  Scanner(std::string_view text, Position start, Findings& findings)
      : text_(text), at_(start), findings_(findings) {}

  std::vector<Token> Run() {
    if (text_.starts_with(kByteOrderMark)) {
      next_ = kByteOrderMark.size();  // Has no width: column 1 comes after it.
    }
    while (SkipBlanks()) ScanToken();
    tokens_.push_back({Kind::kEnd, "", at_});
    return std::move(tokens_);
  }

 private:
  std::string_view rest() const { return text_.substr(next_); }
  bool StartsWith(std::string_view prefix) const {
    return rest().starts_with(prefix);
  }
  bool AtEnd() const { return next_ == text_.size(); }
  char Peek() const { return text_[next_]; }

  // One character, however many bytes it has.
  void Step() {
    if (Peek() == '\n') {
      ++at_.line;
      at_.column = 0;
    }
    ++at_.column;
    next_ += std::max<size_t>(1, Utf8Length(rest()));
  }
  void StepOver(size_t bytes) {
    const size_t end = next_ + bytes;
    while (next_ < end) Step();
  }
  void SkipLine() {
    while (!AtEnd() && Peek() != '\n') Step();
  }

  // Blanks and comments; false at the end.
  bool SkipBlanks() {
    while (!AtEnd()) {
      if (Peek() == '#') {
        SkipLine();
      } else if (StartsWith("//") || StartsWith("/*")) {
        findings_.AddFault(at_, "comments begin with '#'");
        SkipLine();
      } else if (StartsWith(kNoBreakSpace)) {
        findings_.AddFault(at_, "no-break space U+00A0; write a plain space");
        Step();
      } else if (absl::ascii_isspace(Peek()) || Peek() == '\0') {
        Step();  // NUL was reported by CheckBytes.
      } else {
        return true;
      }
    }
    return false;
  }

  void ScanToken() {
    const char c = Peek();
    if (absl::ascii_isalpha(c) || c == '_') {
      ScanIdentifier();
    } else if (absl::ascii_isdigit(c) || (c == '.' && rest().size() > 1 &&
                                          absl::ascii_isdigit(rest()[1]))) {
      ScanNumber();
    } else if (c == '"' || c == '\'') {
      ScanString(c);
    } else if (kSymbols.find(c) != std::string_view::npos) {
      tokens_.push_back({Kind::kSymbol, std::string(1, c), at_});
      Step();
    } else if (StartsWith(kOpenQuote) || StartsWith(kCloseQuote)) {
      ScanCurlyQuotes();
    } else {
      ScanForeign();
    }
  }

  void ScanIdentifier() {
    size_t length = 0;
    while (length < rest().size() &&
           (absl::ascii_isalnum(rest()[length]) || rest()[length] == '_')) {
      ++length;
    }
    tokens_.push_back(
        {Kind::kIdentifier, std::string(rest().substr(0, length)), at_});
    StepOver(length);
  }

  void ScanNumber() {
    const bool hex = IsHexadecimal(rest());
    size_t length = 0;
    while (length < rest().size()) {
      const char c = rest()[length];
      const bool signed_exponent =
          !hex && (c == '+' || c == '-') && length > 0 &&
          absl::ascii_tolower(rest()[length - 1]) == 'e';
      if (!absl::ascii_isalnum(c) && c != '.' && c != '_' && !signed_exponent) {
        break;
      }
      ++length;
    }
    Token token = {Kind::kInteger, std::string(rest().substr(0, length)), at_};
    const std::string fault = NumberFault(token.text, token.kind);
    if (!fault.empty()) {
      token.faulty = true;
      findings_.AddFault(at_, StrCat(Describe(token), " ", fault));
    }
    tokens_.push_back(std::move(token));
    StepOver(length);
  }

  void ScanString(char quote) {
    Token token = {Kind::kString, "", at_};
    Step();
    string_begin_ = next_;
    while (!AtEnd() && Peek() != quote && Peek() != '\n') {
      if (Peek() == '\\') {
        ScanEscape(token);
      } else {
        const size_t begin = next_;
        Step();
        token.text += text_.substr(begin, next_ - begin);
      }
    }
    if (AtEnd() || Peek() == '\n') {
      EndUnterminated(token);
    } else {
      Step();
    }
    tokens_.push_back(std::move(token));
  }

  // The quote that is missing probably belongs before the closing braces at
  // the end of the line; reading them keeps the rest of the file in order.
  void EndUnterminated(Token& token) {
    findings_.AddFault(token.position,
                       "string without a closing quote on its line");
    token.faulty = true;
    while (next_ > string_begin_ &&
           (absl::ascii_isspace(text_[next_ - 1]) ||
            kClosers.find(text_[next_ - 1]) != std::string_view::npos)) {
      --next_;
      --at_.column;
    }
  }

  void ScanEscape(Token& token) {
    const Position at = at_;
    Step();
    if (AtEnd() || Peek() == '\n') return;  // Unterminated as well.
    constexpr std::string_view kLetters = "abfnrtv\\'\"?";
    constexpr std::string_view kValues = "\a\b\f\n\r\t\v\\'\"?";
    const char c = Peek();
    if (const size_t i = kLetters.find(c); i != std::string_view::npos) {
      token.text += kValues[i];
      Step();
    } else if (c == 'x') {
      Step();
      ScanCode(token, at, /*base=*/16, /*max_digits=*/2);
    } else if (c >= '0' && c <= '7') {
      ScanCode(token, at, /*base=*/8, /*max_digits=*/3);
    } else if (c == 'u') {
      Step();
      ScanCode(token, at, /*base=*/16, /*max_digits=*/4);
    } else {
      EscapeFault(token, at,
                  StrCat("unknown escape \"\\", std::string(1, c),
                         "\"; write \"\\\\\" for a backslash"));
      Step();
    }
  }

  // `\x41`, `\101`: a byte; `\u20AC`: a character.
  void ScanCode(Token& token, Position at, uint32_t base, int max_digits) {
    uint32_t code = 0;
    int digits = 0;
    for (; digits < max_digits && !AtEnd(); ++digits) {
      const char c = Peek();
      if (!absl::ascii_isxdigit(c)) break;
      const uint32_t digit =
          absl::ascii_isdigit(c) ? c - '0' : absl::ascii_tolower(c) - 'a' + 10;
      if (digit >= base) break;
      code = code * base + digit;
      Step();
    }
    if (max_digits < 4 && digits > 0 && code <= 0xFF) {
      token.text += static_cast<char>(code);
    } else if (max_digits == 4 && digits == 4 && (code & 0xF800) != 0xD800) {
      AppendUtf8(code, token.text);
    } else {
      EscapeFault(token, at, "malformed escape");
    }
  }

  void EscapeFault(Token& token, Position at, std::string message) {
    token.faulty = true;
    findings_.AddFault(at, std::move(message));
  }

  void ScanCurlyQuotes() {
    findings_.AddFault(at_, "typographic quote; write a plain \"");
    Token token = {Kind::kString, "", at_, /*faulty=*/true};
    Step();
    while (!AtEnd() && Peek() != '\n') {
      const bool closed =
          StartsWith(kOpenQuote) || StartsWith(kCloseQuote) || Peek() == '"';
      Step();
      if (closed) break;
    }
    tokens_.push_back(std::move(token));
  }

  void ScanForeign() {
    const size_t length = Utf8Length(rest());
    // A byte that is not UTF-8 was reported by CheckBytes.
    if (length == 1 && !absl::ascii_isprint(Peek())) {
      findings_.AddFault(at_, absl::StrFormat("control character 0x%02x",
                                              static_cast<int>(Peek())));
    } else if (length > 0) {
      findings_.AddFault(at_,
                         StrCat("unexpected '", rest().substr(0, length), "'"));
    }
    Step();
  }

  const std::string_view text_;
  size_t next_ = 0;
  size_t string_begin_ = 0;
  Position at_;  // of text_[next_]
  Findings& findings_;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> Scan(std::string_view text, Position start,
                        Findings& findings) {
  return Scanner(text, start, findings).Run();
}

}  // namespace meanfield::job

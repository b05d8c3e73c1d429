#ifndef MEANFIELD_COORDINATOR_JOB_TOKEN_H_
#define MEANFIELD_COORDINATOR_JOB_TOKEN_H_

#include <string>

#include "coordinator/job/findings.h"

namespace meanfield::job {

struct Token {
  enum class Kind { kIdentifier, kInteger, kFloat, kString, kSymbol, kEnd };
  Kind kind = Kind::kEnd;
  // As written; of a string, its value with escapes resolved.
  std::string text;
  Position position;
  // A fault of it was reported: its value must not be used nor complained of.
  bool faulty = false;

  bool Is(char symbol) const {
    return kind == Kind::kSymbol && text[0] == symbol;
  }
  bool IsIdentifier() const { return kind == Kind::kIdentifier; }
  bool IsNumber() const {
    return kind == Kind::kInteger || kind == Kind::kFloat;
  }
  bool IsString() const { return kind == Kind::kString; }
  // May begin the value of a scalar field.
  bool IsScalar() const {
    return IsString() || IsNumber() || IsIdentifier() || Is('-');
  }
  // Of '{' or '<'.
  char Closer() const { return Is('<') ? '>' : '}'; }
  bool IsEnd() const { return kind == Kind::kEnd; }
};

// What a message calls it: `"train.txt"`, `'}'`, `64`, "the end".
std::string Describe(const Token& token);

}  // namespace meanfield::job

#endif  // MEANFIELD_COORDINATOR_JOB_TOKEN_H_

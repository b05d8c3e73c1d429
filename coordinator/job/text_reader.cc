#include "coordinator/job/text_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "common/base/strings.h"
#include "coordinator/job/scalar.h"
#include "coordinator/job/schema.h"
#include "coordinator/job/suggest.h"

namespace meanfield::job {
TextReader::TextReader(std::vector<Token> tokens, PositionTable& positions,
                       Findings& findings)
    : tokens_(std::move(tokens)), positions_(positions), findings_(findings) {
  for (const Token& token : tokens_) {
    missing_braces_ += token.Is('{') ? 1 : token.Is('}') ? -1 : 0;
  }
}

void TextReader::ReadMessage(Message& message) {
  ReadFields({&message, "", "the job", {}, 0});
}

void TextReader::ReadValueOf(Message& message, const std::string& path,
                             const FieldDescriptor& field, Position name) {
  frames_.push_back({&message, path, field.name(), name, 0});
  const Target target = {&message, &field, Member(path, field.name()), name};
  if (field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
    if (Peek().Is('[') && field.is_repeated()) {
      ReadScalarList(target);
    } else {
      ReadScalar(target);
    }
  } else if (AtOpener() || Peek().Is('[')) {
    ReadMessageField(target);
  } else {
    OpenMessage(target, Peek().position, /*closer=*/0);
  }
  if (!Peek().IsEnd()) {
    Fault(Peek().position,
          StrCat("unexpected ", Describe(Peek()), " after the value"));
  }
  frames_.pop_back();
}

const Token& TextReader::Peek(size_t ahead) const {
  return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
}

Token TextReader::Next() {
  const Token& token = Peek();
  if (!token.IsEnd()) ++next_;
  return token;
}

bool TextReader::Accept(char symbol) {
  if (!Peek().Is(symbol)) return false;
  ++next_;
  return true;
}

bool TextReader::AtField() const {
  if (!Peek().IsIdentifier()) return false;
  const Token& after = Peek(1);
  return after.Is(':') || after.Is('{') || after.Is('<') || after.Is('=');
}

void TextReader::Fault(Position position, std::string message) {
  findings_.AddFault(position, std::move(message));
  positions_.MarkAttempted(frames_.back().path);
}

// --------------------------------------------------------------- structure --

void TextReader::ReadFields(Frame frame) {
  frames_.push_back(std::move(frame));
  while (!Close()) {
    if (!Peek().IsIdentifier()) {
      SkipStray();
    } else if (MissingBraceBefore(Peek())) {
      break;
    } else if (ExtraBraceBefore(Peek())) {
      ReadFields(closed_);
    } else {
      ReadField();
    }
  }
  closed_ = std::move(frames_.back());
  frames_.pop_back();
}

// True at the end of the innermost frame, whose closing brace is then read.
bool TextReader::Close() {
  Frame& frame = frames_.back();
  if (Peek().IsEnd()) {
    if (frame.closer != 0) {
      Fault(frame.open, StrCat("this '", frame.closer == '>' ? "<" : "{",
                               "' is never closed"));
    }
    return true;
  }
  if (!AtCloser()) return false;
  const Token token = Next();
  frame.close = token.position;
  if (frame.closer == 0) {
    Fault(token.position, StrCat("extra ", Describe(token)));
    return false;
  }
  if (!token.Is(frame.closer)) {
    Fault(token.position,
          StrCat("expected '", std::string(1, frame.closer), "' to close ",
                 frame.name, ", found ", Describe(token)));
  }
  return true;
}

// Where braces are missing in the text and the name is unknown here but known
// in a message around this one, a brace is missing before it.
bool TextReader::MissingBraceBefore(const Token& name) {
  const auto knows = [&](const Frame& frame) {
    return frame.message != nullptr &&
           frame.message->GetDescriptor()->FindFieldByName(name.text) !=
               nullptr;
  };
  const Frame& frame = frames_.back();
  if (frame.closer == 0 || frame.message == nullptr || knows(frame)) {
    return false;
  }
  int levels = 1;
  for (auto outer = frames_.rbegin() + 1; outer != frames_.rend(); ++outer) {
    if (levels > missing_braces_) return false;
    if (knows(*outer)) {
      --missing_braces_;
      Fault(name.position, StrCat("'}' missing before \"", name.text,
                                  "\": ", frame.name, ", opened at ",
                                  findings_.Describe(frame.open, name.position),
                                  ", has no field of this name"));
      return true;
    }
    ++levels;
  }
  return false;
}

// The counterpart: where the text has braces too many and the name is unknown
// here but known in the message that was closed just before, that one was
// closed too early: it is read on.
bool TextReader::ExtraBraceBefore(const Token& name) {
  const Message* outer = frames_.back().message;
  const Message* inner = closed_.message;
  if (missing_braces_ >= 0 || outer == nullptr || inner == nullptr ||
      closed_.closer != '}' || closed_.close.line == 0 ||
      outer->GetDescriptor()->FindFieldByName(name.text) != nullptr ||
      inner->GetDescriptor()->FindFieldByName(name.text) == nullptr) {
    return false;
  }
  ++missing_braces_;
  Fault(closed_.close,
        StrCat("extra '}': it closes ", closed_.name, " before \"", name.text,
               "\" at ", findings_.Describe(name.position, closed_.close)));
  return true;
}

void TextReader::SkipStray() {
  const Token first = Next();
  if (first.Is('{') || first.Is('<')) {
    Fault(first.position,
          StrCat("a field's name is missing before ", Describe(first)));
    --next_;
    SkipMessage();
    return;
  }
  if (!first.faulty) {
    Fault(first.position,
          StrCat("expected the name of a field, found ", Describe(first)));
  }
  while (!Peek().IsIdentifier() && !Peek().IsEnd() && !AtCloser() &&
         !AtOpener()) {
    Next();
  }
}

// ------------------------------------------------------------------ fields --

void TextReader::ReadField() {
  const Token name = Next();
  Message* message = frames_.back().message;
  const FieldDescriptor* field =
      message == nullptr ? nullptr
                         : message->GetDescriptor()->FindFieldByName(name.text);
  if (field == nullptr) {
    if (message != nullptr) ReportUnknown(name);
    SkipValue();
  } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
    ReadMessageField(Claim(*field, name));
  } else {
    ReadScalarField(Claim(*field, name));
  }
  if (Peek().Is(',') || Peek().Is(';')) Next();
}

void TextReader::ReportUnknown(const Token& name) {
  const Frame& frame = frames_.back();
  const std::vector<std::string> known =
      FieldNames(*frame.message->GetDescriptor());
  std::string message = StrCat("no field \"", name.text, "\" in ", frame.name);
  const std::vector<std::string> homes = HomesOf(name.text);
  if (!homes.empty()) {
    StrAppend(&message, "; it belongs in ", absl::StrJoin(homes, " or "),
              ". Allowed here: ", absl::StrJoin(known, ", "));
  } else {
    StrAppend(&message, DidYouMean(name.text, known));
    const std::string nearest = Nearest(name.text, known);
    if (!nearest.empty()) {
      positions_.MarkAttempted(Member(frame.path, nearest));
    }
  }
  findings_.AddFault(name.position, std::move(message));
}

// A field given twice, or beside another of its oneof, is read into a message
// that is thrown away.
TextReader::Target TextReader::Claim(const FieldDescriptor& field,
                                     const Token& name) {
  const Frame& frame = frames_.back();
  const std::string path = Member(frame.path, field.name());
  std::string fault;
  if (!field.is_repeated() && positions_.Contains(path)) {
    fault = StrCat("\"", field.name(), "\" is given twice, first at ",
                   findings_.Describe(positions_.Name(path), name.position));
  } else if (const auto* oneof = field.containing_oneof()) {
    for (const std::string& member : MemberNames(*oneof)) {
      const std::string other = Member(frame.path, member);
      if (member == field.name() || !positions_.Contains(other)) continue;
      fault =
          StrCat("\"", field.name(), "\" beside \"", member, "\" (",
                 findings_.Describe(positions_.Name(other), name.position),
                 "); only one of: ", absl::StrJoin(MemberNames(*oneof), ", "));
    }
  }
  if (fault.empty()) {
    return {frame.message, &field, path, name.position};
  }
  findings_.AddFault(name.position, std::move(fault));
  discarded_.emplace_back(frame.message->New());
  return {discarded_.back().get(), &field,
          Member(StrCat("!", discarded_.size()), field.name()), name.position};
}

// The ':' after a scalar field's name. False: there is no value either.
bool TextReader::ReadColon(const Target& target) {
  const std::string quoted = StrCat("\"", target.field->name(), "\"");
  if (!Accept(':')) {
    if (Peek().Is('=')) {
      Fault(Next().position,
            StrCat("expected ':' after ", quoted, ", found '='"));
    } else if (Peek().Is('[') || AtOpener() ||
               (Peek().IsScalar() && !AtField())) {
      if (!AtOpener()) {
        Fault(Peek().position, StrCat("':' missing after ", quoted));
      }
    } else {
      Fault(target.name, StrCat(quoted, " has no value; it takes ",
                                ExpectedValue(*target.field)));
      return false;
    }
  }
  const bool value =
      Peek().Is('[') || AtOpener() || (Peek().IsScalar() && !AtField());
  if (!value) {
    Fault(target.name, StrCat(quoted, " has no value; it takes ",
                              ExpectedValue(*target.field)));
  }
  return value;
}

// ---------------------------------------------------------------- skipping --

void TextReader::SkipValue() {
  bool colon = Accept(':');
  colon = Accept('=') || colon;
  if (AtOpener()) {
    SkipMessage();
  } else if (Peek().Is('[')) {
    SkipList();
  } else if (Peek().IsScalar() && !AtField()) {
    const bool same_line =
        Peek().position.line == tokens_[next_ - 1].position.line;
    if (!colon && !same_line) return;
    Accept('-');
    Next();
    while (Peek().IsString()) Next();
  }
}

void TextReader::SkipList() {
  int depth = 0;
  do {
    if (AtOpener()) {
      SkipMessage();
      continue;
    }
    if (Peek().IsEnd() || AtCloser() || AtField()) return;
    const Token token = Next();
    depth += token.Is('[') ? 1 : token.Is(']') ? -1 : 0;
  } while (depth > 0);
}

void TextReader::SkipMessage() {
  const Token opener = Next();
  if (frames_.size() >= kMaxDepth) {
    SkipDeep(opener.position);
    return;
  }
  ReadFields({nullptr, frames_.back().path, frames_.back().name,
              opener.position, opener.Closer()});
}

// To the closing brace of one just read, at any depth.
void TextReader::SkipDeep(Position open) {
  Fault(open, StrCat("nested deeper than ", kMaxDepth, " messages"));
  for (int depth = 1; depth > 0 && !Peek().IsEnd();) {
    if (AtOpener()) ++depth;
    if (AtCloser()) --depth;
    Next();
  }
}

}  // namespace meanfield::job

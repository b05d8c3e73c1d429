// The values of fields: messages, scalars, lists of either.
#include "common/base/strings.h"
#include "coordinator/job/scalar.h"
#include "coordinator/job/text_reader.h"

namespace meanfield::job {

// ---------------------------------------------------------------- messages --

void TextReader::ReadMessageField(const Target& target) {
  bool colon = Accept(':');
  if (Peek().Is('=')) {
    Fault(Next().position,
          StrCat("write ", target.field->name(), " { ... } without '='"));
    colon = true;
  }
  if (!Peek().Is('[')) {
    ReadOneMessage(target, colon);
  } else if (target.field->is_repeated()) {
    ReadMessageList(target);
  } else {
    Fault(Peek().position, StrCat("\"", target.field->name(),
                                  "\" takes one { ... }, not a list"));
    positions_.MarkAttempted(target.path);
    SkipList();
  }
}

void TextReader::ReadMessageList(const Target& target) {
  const Position open = Next().position;
  if (Accept(']')) return;
  do {
    Target element = target;
    element.name = Peek().position;
    ReadOneMessage(element, /*colon=*/true);
  } while (NextElement(open));
}

void TextReader::ReadOneMessage(const Target& target, bool colon) {
  const Token& token = Peek();
  const std::string& name = target.field->name();
  if (AtOpener()) {
    const Token opener = Next();
    OpenMessage(target, opener.position, opener.Closer());
    return;
  }
  const Descriptor& type = *target.field->message_type();
  if (!colon && token.IsIdentifier() &&
      type.FindFieldByName(token.text) != nullptr) {
    Fault(token.position, StrCat("'{' missing after \"", name, "\""));
    ++missing_braces_;
    OpenMessage(target, token.position, '}');
    return;
  }
  positions_.MarkAttempted(target.path);
  Fault(token.position,
        StrCat("expected '{' after \"", name, "\", found ", Describe(token)));
  if (token.IsScalar() && !AtField()) {
    Accept('-');
    Next();
  }
}

void TextReader::OpenMessage(const Target& target, Position open, char closer) {
  Message& parent = *target.message;
  const google::protobuf::Reflection& reflection = *parent.GetReflection();
  const bool repeated = target.field->is_repeated();
  const std::string path =
      repeated
          ? Element(target.path, reflection.FieldSize(parent, target.field))
          : target.path;
  Message* message = repeated
                         ? reflection.AddMessage(&parent, target.field)
                         : reflection.MutableMessage(&parent, target.field);
  positions_.Set(path, target.name, open);
  if (frames_.size() >= kMaxDepth) {
    SkipDeep(open);
    return;
  }
  ReadFields({message, path, target.field->name(), open, closer});
}

// ----------------------------------------------------------------- scalars --

void TextReader::ReadScalarField(const Target& target) {
  if (!ReadColon(target)) {
    positions_.MarkAttempted(target.path);
    return;
  }
  if (AtOpener()) {
    Fault(Peek().position,
          StrCat("\"", target.field->name(), "\" takes ",
                 ExpectedValue(*target.field), ", not { ... }"));
    positions_.MarkAttempted(target.path);
    SkipMessage();
  } else if (!Peek().Is('[')) {
    ReadScalar(target);
  } else if (target.field->is_repeated()) {
    ReadScalarList(target);
  } else {
    Fault(Peek().position,
          StrCat("\"", target.field->name(), "\" takes one value, not a list"));
    positions_.MarkAttempted(target.path);
    SkipList();
  }
}

void TextReader::ReadScalarList(const Target& target) {
  positions_.Set(target.path, target.name, Peek().position);
  const Position open = Next().position;
  if (Accept(']')) return;
  do {
    ReadScalar(target);
  } while (NextElement(open));
}

void TextReader::ReadScalar(const Target& target) {
  const Position at = Peek().position;
  const bool negative = Accept('-');
  if (!Peek().IsScalar()) {
    Fault(at, StrCat("\"", target.field->name(), "\" takes ",
                     ExpectedValue(*target.field), ", not ", Describe(Peek())));
    positions_.MarkAttempted(target.path);
    // Go on behind it, so that a list comes to its end.
    if (AtOpener()) SkipMessage();
    if (Peek().Is('[')) SkipList();
    return;
  }
  const Token token = Next();
  const Message& message = *target.message;
  std::string path = target.path;
  if (target.field->is_repeated()) {
    if (!positions_.Contains(path)) positions_.Set(path, target.name, at);
    path = Element(path,
                   message.GetReflection()->FieldSize(message, target.field));
  }
  positions_.Set(path, target.name, at);
  const std::string fault =
      token.faulty
          ? ""
          : AssignScalar(*target.message, *target.field, token, negative);
  if (!fault.empty()) findings_.AddFault(at, fault);
  if (token.faulty || !fault.empty()) positions_.MarkAttempted(target.path);
  if (token.IsString()) RefuseAdjacentStrings();
}

void TextReader::RefuseAdjacentStrings() {
  while (Peek().IsString()) {
    const Token second = Next();
    Fault(second.position,
          StrCat("two strings in a row; the second is ", Describe(second),
                 "; is a ',' or the name of a field missing?"));
  }
}

bool TextReader::NextElement(Position open) {
  if (Accept(']')) return false;
  if (Accept(',')) {
    if (!Peek().Is(']')) return true;
    Fault(Next().position, "a value is missing between ',' and ']'");
    return false;
  }
  if (AtOpener() || (Peek().IsScalar() && !AtField())) {
    Fault(Peek().position, StrCat("',' missing before ", Describe(Peek())));
    return true;
  }
  Fault(open, "this '[' is never closed");
  return false;
}

}  // namespace meanfield::job

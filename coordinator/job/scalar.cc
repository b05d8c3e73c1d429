#include "coordinator/job/scalar.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "common/base/check.h"
#include "common/base/strings.h"
#include "coordinator/job/number.h"
#include "coordinator/job/suggest.h"
#include "coordinator/job/text_check.h"

namespace meanfield::job {
namespace {

using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

std::string Seen(const FieldDescriptor& field, const Token& token,
                 bool negative) {
  return StrCat("\"", field.name(), "\" takes ", ExpectedValue(field), ", not ",
                negative ? "-" : "", Describe(token));
}

// Reflection has a method per type, one to set and one to add.
template <typename T>
void Store(Message& message, const FieldDescriptor& field, T value) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  const bool add = field.is_repeated();
  if constexpr (std::is_same_v<T, uint32_t>) {
    add ? reflection.AddUInt32(&message, &field, value)
        : reflection.SetUInt32(&message, &field, value);
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    add ? reflection.AddUInt64(&message, &field, value)
        : reflection.SetUInt64(&message, &field, value);
  } else if constexpr (std::is_same_v<T, double>) {
    add ? reflection.AddDouble(&message, &field, value)
        : reflection.SetDouble(&message, &field, value);
  } else if constexpr (std::is_same_v<T, bool>) {
    add ? reflection.AddBool(&message, &field, value)
        : reflection.SetBool(&message, &field, value);
  } else if constexpr (std::is_same_v<T, const EnumValueDescriptor*>) {
    add ? reflection.AddEnum(&message, &field, value)
        : reflection.SetEnum(&message, &field, value);
  } else {
    static_assert(std::is_same_v<T, std::string>);
    add ? reflection.AddString(&message, &field, value)
        : reflection.SetString(&message, &field, value);
  }
}

std::string AssignInteger(Message& message, const FieldDescriptor& field,
                          const Token& token, bool negative) {
  if (token.kind != Token::Kind::kInteger) return Seen(field, token, negative);
  const bool narrow = field.cpp_type() == FieldDescriptor::CPPTYPE_UINT32;
  const uint64_t limit = narrow ? std::numeric_limits<uint32_t>::max()
                                : std::numeric_limits<uint64_t>::max();
  uint64_t value = 0;
  const bool hex = IsHexadecimal(token.text);
  const bool fits = hex ? absl::SimpleHexAtoi(token.text, &value)
                        : absl::SimpleAtoi(token.text, &value);
  if (!fits || value > limit) {
    return StrCat("\"", field.name(), "\" is too large: ", token.text,
                  "; at most ", limit);
  }
  if (negative) {
    return StrCat("\"", field.name(), "\" must not be negative: -", token.text);
  }
  narrow ? Store(message, field, static_cast<uint32_t>(value))
         : Store(message, field, value);
  return "";
}

std::string AssignDouble(Message& message, const FieldDescriptor& field,
                         const Token& token, bool negative) {
  if (token.IsIdentifier()) {
    const std::string word = absl::AsciiStrToLower(token.text);
    if (word == "nan" || word == "inf" || word == "infinity") {
      return StrCat("\"", field.name(), "\" must be a finite number, not ",
                    token.text);
    }
  }
  if (!token.IsNumber()) return Seen(field, token, negative);
  double value = 0;
  const bool read = absl::SimpleAtod(token.text, &value);
  if (!read) return Seen(field, token, negative);
  if (!std::isfinite(value)) {
    return StrCat("\"", field.name(), "\" is too large: ", token.text);
  }
  Store(message, field, negative ? -value : value);
  return "";
}

std::string AssignBool(Message& message, const FieldDescriptor& field,
                       const Token& token) {
  if (token.IsIdentifier() && (token.text == "true" || token.text == "false")) {
    Store(message, field, token.text == "true");
    return "";
  }
  return Seen(field, token, /*negative=*/false);
}

std::vector<std::string> EnumNames(const EnumDescriptor& type) {
  std::vector<std::string> names;
  for (int i = 0; i < type.value_count(); ++i) {
    names.push_back(type.value(i)->name());
  }
  return names;
}

std::string AssignEnum(Message& message, const FieldDescriptor& field,
                       const Token& token) {
  const EnumDescriptor& type = *field.enum_type();
  if (token.IsIdentifier()) {
    if (const auto* value = type.FindValueByName(token.text)) {
      Store(message, field, value);
      return "";
    }
    return StrCat("\"", field.name(), "\" has no value ", token.text,
                  DidYouMean(token.text, EnumNames(type)));
  }
  const bool quoted =
      token.IsString() && type.FindValueByName(token.text) != nullptr;
  return StrCat(Seen(field, token, /*negative=*/false),
                quoted ? "; write it without quotes" : "");
}

std::string AssignString(Message& message, const FieldDescriptor& field,
                         const Token& token) {
  if (!token.IsString()) {
    const bool word = token.IsIdentifier() || token.IsNumber();
    return StrCat(Seen(field, token, /*negative=*/false),
                  word ? StrCat("; write \"", token.text, "\"") : "");
  }
  if (token.text.find('\0') != std::string::npos) {
    return StrCat("\"", field.name(), "\" must not hold a NUL");
  }
  for (std::string_view rest = token.text; !rest.empty();) {
    const size_t length = Utf8Length(rest);
    if (length == 0) {
      return StrCat("\"", field.name(), "\" must be UTF-8 text");
    }
    rest.remove_prefix(length);
  }
  Store(message, field, token.text);
  return "";
}

}  // namespace

std::string ExpectedValue(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
    case FieldDescriptor::CPPTYPE_UINT64:
      return "a whole number";
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return "a number";
    case FieldDescriptor::CPPTYPE_BOOL:
      return "true or false";
    case FieldDescriptor::CPPTYPE_ENUM:
      return StrCat("one of ",
                    absl::StrJoin(EnumNames(*field.enum_type()), ", "));
    case FieldDescriptor::CPPTYPE_STRING:
      return "a string in quotes";
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return "{ ... }";
    default:
      break;
  }
  MEANFIELD_CHECK(false, StrCat("type of job.proto's ", field.name()));
}

std::string AssignScalar(Message& message, const FieldDescriptor& field,
                         const Token& token, bool negative) {
  const bool number =
      field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE || token.IsNumber();
  if (negative && !number) return Seen(field, token, negative);
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
    case FieldDescriptor::CPPTYPE_UINT64:
      return AssignInteger(message, field, token, negative);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return AssignDouble(message, field, token, negative);
    case FieldDescriptor::CPPTYPE_BOOL:
      return AssignBool(message, field, token);
    case FieldDescriptor::CPPTYPE_ENUM:
      return AssignEnum(message, field, token);
    case FieldDescriptor::CPPTYPE_STRING:
      return AssignString(message, field, token);
    default:
      break;
  }
  MEANFIELD_CHECK(false, StrCat("type of job.proto's ", field.name()));
}

}  // namespace meanfield::job

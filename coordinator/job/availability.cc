#include "coordinator/job/availability.h"

#include <string>
#include <string_view>

#include "common/base/strings.h"
#include "common/base/version.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"

namespace meanfield::job {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// A field, or a value of it, that this version does not have. A later version
// that has it removes its line, nothing else.
struct Unavailable {
  std::string_view type;  // of the message
  std::string_view field;
  std::string_view value;  // empty: any; "1+": of a list, all but the first
  std::string_view instead;
};

constexpr Unavailable kUnavailable[] = {
    {"JobSpec", "task", "1+", "one task a job"},
    {"JobSpec", "shared", "", "one task a job"},
    {"Task", "gpus", "", "the job's \"gpus\" or --gpus"},
    {"Task", "loss_factor", "!1", "1"},
    {"Corpus", "text", "", "conll, conllu, fasttext, label_text, csv"},
    {"Corpus", "wmt_qe", "", "conll, conllu, fasttext, label_text, csv"},
    {"Model", "language_model", "", "text_classifier, sequence_tagger"},
    {"Model", "nuqe", "", "text_classifier, sequence_tagger"},
    {"Training", "optimizer_state", "KEEP", "RESET"},
    {"Training", "optimizer_state", "AVERAGE", "RESET"},
};

std::string ScalarText(const Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.GetBool(message, &field) ? "true" : "false";
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection.GetEnum(message, &field)->name();
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return StrCat(reflection.GetDouble(message, &field));
    default:
      return "";
  }
}

bool Matches(const Unavailable& entry, const Message& message,
             const FieldDescriptor& field, int index) {
  if (entry.type != message.GetDescriptor()->name() ||
      entry.field != field.name()) {
    return false;
  }
  if (entry.value.empty()) return true;
  if (entry.value == "1+") return index > 0;
  const std::string value = ScalarText(message, field);
  return entry.value[0] == '!' ? value != entry.value.substr(1)
                               : value == entry.value;
}

std::string Subject(const Unavailable& entry) {
  if (entry.value == "1+") {
    return StrCat("more than one \"", entry.field, "\"");
  }
  if (entry.value.empty()) return StrCat("\"", entry.field, "\"");
  if (entry.value[0] == '!') {
    return StrCat("\"", entry.field, "\" other than ", entry.value.substr(1));
  }
  return StrCat("\"", entry.field, ": ", entry.value, "\"");
}

class Checker {
 public:
  Checker(const PositionTable& positions, Findings& findings)
      : positions_(positions), findings_(findings) {}

  void Check(const Message& message, const std::string& path) {
    const google::protobuf::Descriptor& type = *message.GetDescriptor();
    const Reflection& reflection = *message.GetReflection();
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor& field = *type.field(i);
      const std::string at = Member(path, field.name());
      if (!field.is_repeated()) {
        if (reflection.HasField(message, &field)) {
          CheckValue(message, field, 0, at);
        }
        continue;
      }
      for (int k = 0; k < reflection.FieldSize(message, &field); ++k) {
        CheckValue(message, field, k, Element(at, k));
      }
    }
  }

 private:
  void CheckValue(const Message& message, const FieldDescriptor& field,
                  int index, const std::string& path) {
    for (const Unavailable& entry : kUnavailable) {
      if (!Matches(entry, message, field, index)) continue;
      findings_.AddFault(positions_.Name(path),
                         StrCat(Subject(entry), " is not available in version ",
                                Version(), "; available: ", entry.instead));
      return;
    }
    if (field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) return;
    const Reflection& reflection = *message.GetReflection();
    Check(field.is_repeated()
              ? reflection.GetRepeatedMessage(message, &field, index)
              : reflection.GetMessage(message, &field),
          path);
  }

  const PositionTable& positions_;
  Findings& findings_;
};

}  // namespace

void CheckAvailability(const proto::JobSpec& job,
                       const PositionTable& positions, Findings& findings) {
  Checker(positions, findings).Check(job, "");
}

}  // namespace meanfield::job

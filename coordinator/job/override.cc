#include "coordinator/job/override.h"

#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "common/base/strings.h"
#include "coordinator/job/override_path.h"
#include "coordinator/job/scalar.h"
#include "coordinator/job/scanner.h"
#include "coordinator/job/schema.h"
#include "coordinator/job/suggest.h"
#include "coordinator/job/text_check.h"
#include "coordinator/job/text_reader.h"

namespace meanfield::job {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

bool IsMessage(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
}

// The names of the elements of `task`; of other lists, of those that have one.
std::vector<std::string> TaskNames(const proto::JobSpec& job) {
  std::vector<std::string> names;
  for (const proto::Task& task : job.task()) {
    if (task.has_name()) names.push_back(task.name());
  }
  return names;
}

// One override on its way through the job.
class Override {
 public:
  Override(std::string_view text, int source, proto::JobSpec& job,
           PositionTable& positions, Findings& findings)
      : text_(text),
        source_(source),
        job_(job),
        positions_(positions),
        findings_(findings) {}

  // The canonical path that was set; empty after a fault.
  std::string Apply() {
    const size_t equals = text_.find('=');
    if (equals == std::string_view::npos) {
      Fault(1,
            "expected path=value, for example "
            "--set task.training.batch_size=64");
      return "";
    }
    const PathResult split = SplitPath(text_.substr(0, equals));
    if (split.fault.has_value()) {
      Fault(split.fault->column, split.fault->message);
      return "";
    }
    Message* message = &job_;
    std::string path;
    for (size_t i = 0; i + 1 < split.parts.size(); ++i) {
      message = Descend(*message, split.parts[i], path);
      if (message == nullptr) return "";
    }
    return Assign(*message, path, split.parts.back(), equals + 1);
  }

 private:
  Position At(int column) const { return {source_, 1, column}; }
  void Fault(int column, std::string message) {
    findings_.AddFault(At(column), std::move(message));
  }

  const FieldDescriptor* Find(const Message& message, const std::string& path,
                              const PathPart& part) {
    const google::protobuf::Descriptor& type = *message.GetDescriptor();
    const FieldDescriptor* field = type.FindFieldByName(part.name);
    if (field != nullptr) return field;
    const std::vector<std::string> homes = HomesOf(part.name);
    Fault(part.column,
          StrCat("no field \"", part.name, "\" in ",
                 path.empty() ? "the job" : path,
                 homes.empty() ? DidYouMean(part.name, FieldNames(type))
                               : StrCat("; it belongs in ",
                                        absl::StrJoin(homes, " or "))));
    return nullptr;
  }

  // The message of a part that is not the last one; extends `path`.
  Message* Descend(Message& message, const PathPart& part, std::string& path) {
    const FieldDescriptor* field = Find(message, path, part);
    if (field == nullptr) return nullptr;
    const Reflection& reflection = *message.GetReflection();
    if (!IsMessage(*field)) {
      Fault(part.column, StrCat("\"", part.name, "\" takes ",
                                ExpectedValue(*field), "; it has no fields"));
      return nullptr;
    }
    const std::string parent = path;
    path = Member(path, part.name);
    if (field->is_repeated()) {
      const std::optional<int> index = Select(message, *field, part);
      if (!index.has_value()) return nullptr;
      path = Element(path, *index);
      return reflection.MutableRepeatedMessage(&message, field, *index);
    }
    if (part.selector.has_value()) {
      Fault(part.column, StrCat("\"", part.name, "\" is no list"));
      return nullptr;
    }
    if (!reflection.HasField(message, field) &&
        !Add(message, *field, parent, part)) {
      return nullptr;
    }
    return reflection.MutableMessage(&message, field);
  }

  // Makes a message that the job does not have.
  bool Add(Message& message, const FieldDescriptor& field,
           const std::string& parent, const PathPart& part) {
    const Reflection& reflection = *message.GetReflection();
    if (const auto* oneof = field.containing_oneof()) {
      if (const auto* other =
              reflection.GetOneofFieldDescriptor(message, oneof)) {
        Fault(part.column,
              StrCat("the job has \"", other->name(), "\" here, not \"",
                     part.name, "\"; to switch, give the whole: --set '",
                     Member(parent, part.name), "={ ... }'"));
        return false;
      }
    }
    // A task without a training of its own has the job's: start from that.
    if (field.name() == "training" && &message != &job_ &&
        job_.has_training()) {
      reflection.MutableMessage(&message, &field)->CopyFrom(job_.training());
      positions_.CopyTree("training", Member(parent, "training"));
    } else {
      positions_.Set(Member(parent, part.name), At(part.column),
                     At(part.column));
    }
    return true;
  }

  std::optional<int> Select(const Message& message,
                            const FieldDescriptor& field,
                            const PathPart& part) {
    const int size = message.GetReflection()->FieldSize(message, &field);
    const bool tasks = &message == &job_ && field.name() == "task";
    const std::vector<std::string> names =
        tasks ? TaskNames(job_) : std::vector<std::string>();
    const std::string elements = StrCat(
        "it has ", size, names.empty() ? "" : ": ", absl::StrJoin(names, ", "));
    if (!part.selector.has_value()) {
      if (size == 1) return 0;
      Fault(part.column,
            StrCat("say which ", part.name, ": ", part.name, "[NUMBER from 0]",
                   tasks ? " or task[NAME]" : "", "; ", elements));
      return std::nullopt;
    }
    for (int i = 0; tasks && i < size; ++i) {
      if (job_.task(i).name() == *part.selector) return i;
    }
    int index = 0;
    if (absl::SimpleAtoi(*part.selector, &index) && index >= 0 &&
        index < size) {
      return index;
    }
    Fault(part.column,
          StrCat("no ", part.name, "[", *part.selector, "]; ", elements));
    return std::nullopt;
  }

  std::string Assign(Message& message, const std::string& parent,
                     const PathPart& part, size_t value_at) {
    const FieldDescriptor* field = Find(message, parent, part);
    if (field == nullptr) return "";
    std::string path = Member(parent, part.name);
    if (part.selector.has_value()) {
      Fault(part.column,
            StrCat("an override replaces a whole list or a field of an "
                   "element, not one element: --set ",
                   path, "=[...]"));
      return "";
    }
    Clear(message, *field, parent);
    const std::string_view value = text_.substr(value_at);
    const Position name = At(part.column);
    const Position begin = At(static_cast<int>(value_at) + 1);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING &&
        !field->is_repeated() && !IsQuoted(value)) {
      Store(message, *field, path, value, name, begin);
    } else {
      TextReader(Scan(value, begin, findings_), positions_, findings_)
          .ReadValueOf(message, parent, *field, name);
    }
    return path;
  }

  // Of the field and, in a oneof, of its siblings.
  void Clear(Message& message, const FieldDescriptor& field,
             const std::string& parent) {
    const Reflection& reflection = *message.GetReflection();
    reflection.ClearField(&message, &field);
    positions_.Erase(Member(parent, field.name()));
    if (const auto* oneof = field.containing_oneof()) {
      reflection.ClearOneof(&message, oneof);
      for (const std::string& member : MemberNames(*oneof)) {
        positions_.Erase(Member(parent, member));
      }
    }
  }

  static bool IsQuoted(std::string_view value) {
    const size_t begin = value.find_first_not_of(" \t");
    return begin + 1 < value.size() &&
           (value[begin] == '"' || value[begin] == '\'');
  }

  void Store(Message& message, const FieldDescriptor& field,
             const std::string& path, std::string_view value, Position name,
             Position begin) {
    const Token token = {Token::Kind::kString, std::string(value), begin};
    const std::string fault =
        AssignScalar(message, field, token, /*negative=*/false);
    positions_.Set(path, name, begin);
    if (!fault.empty()) findings_.AddFault(begin, fault);
  }

  const std::string_view text_;
  const int source_;
  proto::JobSpec& job_;
  PositionTable& positions_;
  Findings& findings_;
};

}  // namespace

void ApplyOverrides(const std::vector<std::string>& overrides,
                    proto::JobSpec& job, PositionTable& positions,
                    Findings& findings) {
  std::map<std::string, std::string> set;  // path -> the override that set it
  for (const std::string& text : overrides) {
    const int source = findings.AddSource(StrCat("--set ", text));
    if (!CheckBytes(text, source, findings)) continue;
    const std::string path =
        Override(text, source, job, positions, findings).Apply();
    if (path.empty()) continue;
    if (const auto [first, fresh] = set.emplace(path, text); !fresh) {
      findings.AddFault({source, 1, 1},
                        StrCat("\"", path, "\" is set twice, first by ",
                               "--set ", first->second));
    }
  }
}

}  // namespace meanfield::job

#include "common/model/json_reader.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_join.h"
#include "common/base/strings.h"
#include "nlohmann/json.hpp"

namespace meanfield {
namespace {

using nlohmann::json;

// Room for a weight for each of many labels.
constexpr size_t kMaxBytes = size_t{2} << 20;
constexpr int kMaxDepth = 8;

// What the document model forgets: keys that come twice, and depth.
class Watcher {
 public:
  bool operator()(int depth, json::parse_event_t event, json& parsed) {
    if (depth > kMaxDepth && fault_.empty()) fault_ = "nested too deeply";
    if (event == json::parse_event_t::object_start) keys_.emplace_back();
    if (event == json::parse_event_t::object_end) keys_.pop_back();
    if (event == json::parse_event_t::key) {
      const std::string& key = parsed.get_ref<const std::string&>();
      if (!keys_.back().insert(key).second && fault_.empty()) {
        fault_ =
            StrCat("key \"", absl::Utf8SafeCEscape(key), "\" is there twice");
      }
    }
    return true;
  }
  const std::string& fault() const { return fault_; }

 private:
  std::vector<std::set<std::string>> keys_;  // of the objects being read
  std::string fault_;
};

bool IsNumberIn(const json& value, double minimum, double maximum) {
  if (!value.is_number()) return false;
  const auto number = value.get<double>();
  return number >= minimum && number < maximum;
}

const json& EmptyObject() {
  static const json& empty = *new json(json::object());
  return empty;
}

}  // namespace

absl::StatusOr<json> ParseJsonObject(std::string_view text) {
  if (text.size() > kMaxBytes) {
    return absl::InvalidArgumentError(
        StrCat(text.size(), " bytes of JSON, the limit is ", kMaxBytes));
  }
  Watcher watcher;
  json root;
  try {
    root = json::parse(text, std::ref(watcher));
  } catch (const json::exception& error) {
    return absl::InvalidArgumentError(StrCat("not JSON: ", error.what()));
  }
  if (!watcher.fault().empty()) {
    return absl::InvalidArgumentError(watcher.fault());
  }
  if (!root.is_object()) {
    return absl::InvalidArgumentError(
        StrCat("expected a JSON object, got ", root.type_name()));
  }
  return root;
}

JsonReader::JsonReader(const json& root, absl::Status& fault)
    : JsonReader(root, "", fault) {}

JsonReader::JsonReader(const json& object, std::string path,
                       absl::Status& fault)
    : object_(object), path_(std::move(path)), fault_(fault) {}

void JsonReader::Fail(const char* key, std::string_view what) {
  if (!fault_.ok()) return;
  fault_ = absl::InvalidArgumentError(StrCat(path_, key, ": ", what));
}

const json* JsonReader::Take(const char* key) {
  taken_.insert(key);
  const auto found = object_.find(key);
  if (found != object_.end()) return &*found;
  Fail(key, "is missing");
  return nullptr;
}

const json* JsonReader::TakeList(const char* key) {
  const json* value = Take(key);
  if (value == nullptr || value->is_array()) return value;
  Fail(key, StrCat("expected a list, got ", value->dump()));
  return nullptr;
}

int64_t JsonReader::Integer(const char* key, int64_t minimum, int64_t maximum) {
  const json* value = Take(key);
  if (value == nullptr) return minimum;
  const bool too_large =
      value->is_number_unsigned() &&
      value->get<uint64_t>() > uint64_t{std::numeric_limits<int64_t>::max()};
  if (!value->is_number_integer() || too_large ||
      value->get<int64_t>() < minimum || value->get<int64_t>() > maximum) {
    Fail(key, StrCat("expected an integer from ", minimum, " to ", maximum,
                     ", got ", value->dump()));
    return minimum;
  }
  return value->get<int64_t>();
}

double JsonReader::Number(const char* key, double minimum, double maximum) {
  const json* value = Take(key);
  if (value == nullptr) return minimum;
  if (!IsNumberIn(*value, minimum, maximum)) {
    Fail(key, StrCat("expected a number >= ", minimum, " and < ", maximum,
                     ", got ", value->dump()));
    return minimum;
  }
  return value->get<double>();
}

std::vector<double> JsonReader::Numbers(const char* key, double minimum,
                                        double maximum) {
  std::vector<double> numbers;
  const json* list = TakeList(key);
  if (list == nullptr) return numbers;
  for (const json& value : *list) {
    if (!IsNumberIn(value, minimum, maximum)) {
      Fail(key,
           StrCat("expected numbers >= ", minimum, " and < ", maximum, ", got ",
                  value.dump(), " at position ", numbers.size()));
      return numbers;
    }
    numbers.push_back(value.get<double>());
  }
  return numbers;
}

bool JsonReader::TakeNull(const char* key) {
  const auto found = object_.find(key);
  if (found == object_.end() || !found->is_null()) return false;
  taken_.insert(key);
  return true;
}

std::optional<double> JsonReader::NumberOrNull(const char* key, double minimum,
                                               double maximum) {
  if (TakeNull(key)) return std::nullopt;
  return Number(key, minimum, maximum);
}

std::optional<int64_t> JsonReader::IntegerOrNull(const char* key,
                                                 int64_t minimum,
                                                 int64_t maximum) {
  if (TakeNull(key)) return std::nullopt;
  return Integer(key, minimum, maximum);
}

bool JsonReader::Bool(const char* key) {
  const json* value = Take(key);
  if (value == nullptr) return false;
  if (!value->is_boolean()) {
    Fail(key, StrCat("expected true or false, got ", value->dump()));
    return false;
  }
  return value->get<bool>();
}

size_t JsonReader::Choice(const char* key,
                          const std::vector<std::string_view>& choices) {
  const json* value = Take(key);
  if (value == nullptr) return 0;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (value->is_string() &&
        value->get_ref<const std::string&>() == choices[i]) {
      return i;
    }
  }
  std::string expected;
  for (const std::string_view choice : choices) {
    StrAppend(&expected, expected.empty() ? "\"" : ", \"", choice, "\"");
  }
  Fail(key, StrCat("expected one of ", expected, ", got ", value->dump()));
  return 0;
}

JsonReader JsonReader::Object(const char* key) {
  const json* value = Take(key);
  if (value != nullptr && !value->is_object()) {
    Fail(key, StrCat("expected an object, got ", value->dump()));
    value = nullptr;
  }
  return JsonReader(value != nullptr ? *value : EmptyObject(),
                    StrCat(path_, key, "."), fault_);
}

std::vector<JsonReader> JsonReader::Objects(const char* key, size_t maximum) {
  std::vector<JsonReader> readers;
  const json* list = TakeList(key);
  if (list == nullptr) return readers;
  if (list->empty() || list->size() > maximum) {
    Fail(key, StrCat("expected a list of 1 to ", maximum, " objects, got ",
                     list->size()));
    return readers;
  }
  for (const json& value : *list) {
    const std::string path = StrCat(path_, key, "[", readers.size(), "]");
    if (!value.is_object()) {
      Fail(key, StrCat("expected a list of objects, got ", value.dump()));
    }
    readers.push_back(JsonReader(value.is_object() ? value : EmptyObject(),
                                 path + ".", fault_));
  }
  return readers;
}

void JsonReader::Require(bool condition, const char* key,
                         std::string_view expected) {
  if (!condition) Fail(key, StrCat("expected ", expected));
}

void JsonReader::Finish() {
  for (const auto& item : object_.items()) {
    if (taken_.contains(item.key())) continue;
    Fail(absl::Utf8SafeCEscape(item.key()).c_str(),
         StrCat("unknown key; known are ", absl::StrJoin(taken_, ", ")));
  }
}

}  // namespace meanfield

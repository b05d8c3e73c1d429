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

constexpr size_t kMaxBytes = size_t{64} << 10;
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
  const double number = value->is_number()
                            ? value->get<double>()
                            : std::numeric_limits<double>::quiet_NaN();
  if (!(number >= minimum && number < maximum)) {
    Fail(key, StrCat("expected a number >= ", minimum, " and < ", maximum,
                     ", got ", value->dump()));
    return minimum;
  }
  return number;
}

std::optional<double> JsonReader::NumberOrNull(const char* key, double minimum,
                                               double maximum) {
  const auto found = object_.find(key);
  if (found != object_.end() && found->is_null()) {
    taken_.insert(key);
    return std::nullopt;
  }
  return Number(key, minimum, maximum);
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

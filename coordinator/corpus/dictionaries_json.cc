#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "coordinator/corpus/dictionaries.h"
#include "coordinator/corpus/fault_list.h"
#include "nlohmann/json.hpp"

namespace meanfield::corpus {
namespace {

using Json = nlohmann::json;

constexpr std::pair<LabelKind, std::string_view> kKindNames[] = {
    {LabelKind::kDocument, "document"},
    {LabelKind::kToken, "token"},
    {LabelKind::kSpan, "span"},
};

absl::Status Wrong(std::string_view what) {
  return absl::InvalidArgumentError(StrCat("dictionaries.json: ", what));
}

// Null-valued where the text is not JSON, or an object names a key twice.
absl::StatusOr<Json> ParseObject(std::string_view text) {
  std::set<std::string> keys;
  std::optional<std::string> twice;
  const auto callback = [&](int depth, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::key && depth == 1 &&
        !keys.insert(value.get<std::string>()).second) {
      twice = value.get<std::string>();
    }
    return true;
  };
  Json json = Json::parse(text.begin(), text.end(), callback,
                          /*allow_exceptions=*/false);
  if (!json.is_object()) return Wrong("is not a JSON object");
  if (twice.has_value()) return Wrong(StrCat("has ", *twice, " twice"));
  static constexpr std::string_view kKeys[] = {
      "label_kind", "labels", "ngram_buckets", "ngram_size", "words"};
  for (const std::string_view key : kKeys) {
    if (!json.contains(key)) return Wrong(StrCat("lacks ", key));
  }
  if (json.size() != std::size(kKeys)) {
    for (const auto& [key, value] : json.items()) {
      if (std::find(std::begin(kKeys), std::end(kKeys), key) ==
          std::end(kKeys)) {
        return Wrong(StrCat("has an unknown key, ", Quoted(key)));
      }
    }
  }
  return json;
}

absl::StatusOr<LabelKind> ParseKind(const Json& json) {
  if (json.is_string()) {
    for (const auto& [kind, name] : kKindNames) {
      if (json.get_ref<const std::string&>() == name) return kind;
    }
  }
  return Wrong("label_kind is not document, token or span");
}

absl::StatusOr<Dictionary> ParseItems(const Json& json, std::string_view key,
                                      std::string_view first) {
  if (!json.is_array() || json.empty()) {
    return Wrong(StrCat(key, " is not a list with items"));
  }
  std::vector<std::string> items;
  absl::flat_hash_set<std::string_view> seen;
  for (const Json& item : json) {
    if (!item.is_string()) {
      return Wrong(StrCat(key, "[", items.size(), "] is not a string"));
    }
    const auto& text = item.get_ref<const std::string&>();
    if (!seen.insert(text).second) {
      return Wrong(StrCat(key, " has ", Quoted(text), " twice"));
    }
    items.push_back(text);
  }
  if (items.front() != first) {
    return Wrong(StrCat(key, " starts with ", Quoted(items.front()),
                        ", expected ", Quoted(first)));
  }
  return Dictionary(std::move(items));
}

absl::StatusOr<int64_t> ParseCount(const Json& json, std::string_view key,
                                   int64_t least) {
  if (!json.is_number_integer() || json < least ||
      json > std::numeric_limits<int32_t>::max()) {
    return Wrong(StrCat(key, " is not an integer from ", least));
  }
  return json.get<int64_t>();
}

}  // namespace

std::string Dictionaries::ToJson() const {
  Json json;
  for (const auto& [kind, name] : kKindNames) {
    if (kind == label_kind) json["label_kind"] = name;
  }
  json["labels"] = labels.items();
  json["ngram_buckets"] = ngram_buckets;
  json["ngram_size"] = ngram_size;
  json["words"] = words.items();
  return json.dump(/*indent=*/2) + "\n";
}

absl::StatusOr<Dictionaries> Dictionaries::Parse(std::string_view text) {
  MEANFIELD_ASSIGN_OR_RETURN(const Json json, ParseObject(text));
  Dictionaries result;
  MEANFIELD_ASSIGN_OR_RETURN(result.label_kind, ParseKind(json["label_kind"]));
  MEANFIELD_ASSIGN_OR_RETURN(
      result.labels,
      ParseItems(json["labels"], "labels",
                 result.label_kind == LabelKind::kSpan ? "O" : kUnknown));
  MEANFIELD_ASSIGN_OR_RETURN(result.words,
                             ParseItems(json["words"], "words", kUnknown));
  MEANFIELD_ASSIGN_OR_RETURN(result.ngram_size,
                             ParseCount(json["ngram_size"], "ngram_size", 1));
  MEANFIELD_ASSIGN_OR_RETURN(
      result.ngram_buckets,
      ParseCount(json["ngram_buckets"], "ngram_buckets", 0));
  if ((result.ngram_size > 1) != (result.ngram_buckets > 0)) {
    return Wrong("ngram_size above 1 needs ngram_buckets, and the reverse");
  }
  if (result.words.size() + result.ngram_buckets >
      std::numeric_limits<int32_t>::max()) {
    return Wrong("words and ngram_buckets are more than 2^31 - 1 ids");
  }
  return result;
}

}  // namespace meanfield::corpus

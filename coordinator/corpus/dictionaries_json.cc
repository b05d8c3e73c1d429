#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <set>
#include <span>
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
constexpr std::pair<EmbeddingKind, std::string_view> kEmbeddingNames[] = {
    {EmbeddingKind::kOneHot, "one_hot"},
    {EmbeddingKind::kWordVectors, "word_vectors"},
    {EmbeddingKind::kCharacters, "characters"},
};

absl::Status Wrong(std::string_view what) {
  return absl::InvalidArgumentError(StrCat("dictionaries.json: ", what));
}

// Keeps the first key that an object names twice.
class KeyWatcher {
 public:
  bool operator()(int /*depth*/, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event == Json::parse_event_t::key &&
        !keys_.back().insert(value.get<std::string>()).second && !twice_) {
      twice_ = value.get<std::string>();
    }
    return true;
  }
  const std::optional<std::string>& twice() const { return twice_; }

 private:
  std::vector<std::set<std::string>> keys_;  // of the objects being read
  std::optional<std::string> twice_;
};

// `what`: "" or "embeddings[1] ".
absl::Status CheckKeys(const Json& json, std::string_view what,
                       std::initializer_list<std::string_view> known) {
  for (const std::string_view key : known) {
    if (!json.contains(key)) return Wrong(StrCat(what, "lacks ", key));
  }
  for (const auto& [key, value] : json.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      return Wrong(StrCat(what, "has an unknown key, ", Quoted(key)));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Json> ParseObject(std::string_view text) {
  KeyWatcher watcher;
  Json json = Json::parse(text.begin(), text.end(), std::ref(watcher),
                          /*allow_exceptions=*/false);
  if (!json.is_object()) return Wrong("is not a JSON object");
  if (watcher.twice().has_value()) {
    return Wrong(StrCat("has ", Quoted(*watcher.twice()), " twice"));
  }
  MEANFIELD_RETURN_IF_ERROR(
      CheckKeys(json, "",
                {"embeddings", "label_kind", "labels", "multi_label",
                 "ngram_buckets", "ngram_size"}));
  return json;
}

template <typename Kind>
absl::StatusOr<Kind> ParseName(
    const Json& json, std::string_view key,
    std::span<const std::pair<Kind, std::string_view>> names) {
  std::string expected;
  for (const auto& [kind, name] : names) {
    if (json.is_string() && json.get_ref<const std::string&>() == name) {
      return kind;
    }
    StrAppend(&expected, expected.empty() ? "" : ", ", name);
  }
  return Wrong(StrCat(key, " is not one of ", expected));
}

template <typename Kind>
std::string_view NameOf(
    Kind kind, std::span<const std::pair<Kind, std::string_view>> names) {
  for (const auto& [known, name] : names) {
    if (known == kind) return name;
  }
  return "";
}

// `first`: what the list must start with; nothing: it may be empty.
absl::StatusOr<Dictionary> ParseItems(const Json& json, std::string_view key,
                                      std::string_view first) {
  if (!json.is_array() || (json.empty() && !first.empty())) {
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
  if (!first.empty() && items.front() != first) {
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

absl::StatusOr<bool> ParseBool(const Json& json, std::string_view key) {
  if (!json.is_boolean()) return Wrong(StrCat(key, " is not true or false"));
  return json.get<bool>();
}

absl::StatusOr<std::vector<EmbeddingDictionary>> ParseEmbeddings(
    const Json& json) {
  if (!json.is_array() || json.empty()) {
    return Wrong("embeddings is not a list with items");
  }
  std::vector<EmbeddingDictionary> embeddings;
  for (const Json& entry : json) {
    const std::string name = StrCat("embeddings[", embeddings.size(), "]");
    if (!entry.is_object()) return Wrong(name + " is not an object");
    MEANFIELD_RETURN_IF_ERROR(CheckKeys(entry, name + " ", {"items", "type"}));
    EmbeddingDictionary embedding;
    MEANFIELD_ASSIGN_OR_RETURN(
        embedding.kind, ParseName<EmbeddingKind>(entry["type"], name + ".type",
                                                 kEmbeddingNames));
    MEANFIELD_ASSIGN_OR_RETURN(
        embedding.items,
        ParseItems(
            entry["items"], name + ".items",
            embedding.kind == EmbeddingKind::kWordVectors ? "" : kUnknown));
    embeddings.push_back(std::move(embedding));
  }
  return embeddings;
}

absl::Status CheckNgrams(const Dictionaries& dictionaries) {
  const auto& embeddings = dictionaries.embeddings;
  if ((dictionaries.ngram_size > 1) != (dictionaries.ngram_buckets > 0)) {
    return Wrong("ngram_size above 1 needs ngram_buckets, and the reverse");
  }
  if (dictionaries.ngram_size == 1) return absl::OkStatus();
  if (embeddings.size() != 1 || embeddings[0].kind != EmbeddingKind::kOneHot) {
    return Wrong("ngram_size above 1 needs exactly one of embeddings, one_hot");
  }
  if (embeddings[0].NumRows() + dictionaries.ngram_buckets >
      std::numeric_limits<int32_t>::max()) {
    return Wrong("words and ngram_buckets are more than 2^31 - 1 ids");
  }
  return absl::OkStatus();
}

}  // namespace

std::string Dictionaries::ToJson() const {
  Json json;
  json["embeddings"] = Json::array();
  for (const EmbeddingDictionary& embedding : embeddings) {
    json["embeddings"].push_back(
        {{"items", embedding.items.items()},
         {"type", NameOf<EmbeddingKind>(embedding.kind, kEmbeddingNames)}});
  }
  json["label_kind"] = NameOf<LabelKind>(label_kind, kKindNames);
  json["labels"] = labels.items();
  json["multi_label"] = multi_label;
  json["ngram_buckets"] = ngram_buckets;
  json["ngram_size"] = ngram_size;
  return json.dump(/*indent=*/2) + "\n";
}

absl::StatusOr<Dictionaries> Dictionaries::Parse(std::string_view text) {
  MEANFIELD_ASSIGN_OR_RETURN(const Json json, ParseObject(text));
  Dictionaries result;
  MEANFIELD_ASSIGN_OR_RETURN(
      result.label_kind,
      ParseName<LabelKind>(json["label_kind"], "label_kind", kKindNames));
  MEANFIELD_ASSIGN_OR_RETURN(
      result.labels,
      ParseItems(json["labels"], "labels",
                 result.label_kind == LabelKind::kSpan ? "O" : kUnknown));
  MEANFIELD_ASSIGN_OR_RETURN(result.multi_label,
                             ParseBool(json["multi_label"], "multi_label"));
  if (result.multi_label && result.label_kind != LabelKind::kDocument) {
    return Wrong("multi_label needs label_kind document");
  }
  MEANFIELD_ASSIGN_OR_RETURN(result.embeddings,
                             ParseEmbeddings(json["embeddings"]));
  MEANFIELD_ASSIGN_OR_RETURN(result.ngram_size,
                             ParseCount(json["ngram_size"], "ngram_size", 1));
  MEANFIELD_ASSIGN_OR_RETURN(
      result.ngram_buckets,
      ParseCount(json["ngram_buckets"], "ngram_buckets", 0));
  MEANFIELD_RETURN_IF_ERROR(CheckNgrams(result));
  return result;
}

}  // namespace meanfield::corpus

#include "coordinator/corpus/dictionaries.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/base/strings.h"
#include "coordinator/corpus/ngrams.h"

namespace meanfield::corpus {

Dictionary::Dictionary(std::vector<std::string> items)
    : items_(std::move(items)) {
  ids_.reserve(items_.size());
  for (size_t i = 0; i < items_.size(); ++i) {
    const bool is_new = ids_.emplace(items_[i], static_cast<int32_t>(i)).second;
    MEANFIELD_CHECK(is_new, items_[i]);
  }
}

int32_t Dictionary::Find(std::string_view item) const {
  const auto found = ids_.find(AbslView(item));
  return found == ids_.end() ? -1 : found->second;
}

std::vector<int32_t> Dictionaries::Encode(
    const std::vector<std::string>& tokens) const {
  const std::vector<std::string_view> views(tokens.begin(), tokens.end());
  return Encode(std::span(views));
}

std::vector<int32_t> Dictionaries::Encode(
    std::span<const std::string_view> tokens) const {
  std::vector<int32_t> ids;
  ids.reserve(tokens.size());
  for (const std::string_view token : tokens) {
    ids.push_back(std::max(words.Find(token), 0));
  }
  AppendNgramIds(tokens, ngram_size, ngram_buckets, words.size(), ids);
  return ids;
}

}  // namespace meanfield::corpus

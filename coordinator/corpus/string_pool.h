#ifndef MEANFIELD_COORDINATOR_CORPUS_STRING_POOL_H_
#define MEANFIELD_COORDINATOR_CORPUS_STRING_POOL_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"

namespace meanfield::corpus {

// Every distinct string once, numbered in the order of first sight.
class StringPool {
 public:
  int32_t Intern(std::string_view text) {
    if (const auto found = ids_.find(text); found != ids_.end()) {
      return found->second;
    }
    const auto id = static_cast<int32_t>(strings_.size());
    ids_.emplace(strings_.emplace_back(text), id);
    return id;
  }
  // Valid as long as the pool, also when it moves.
  std::string_view at(int32_t id) const {
    return strings_[static_cast<size_t>(id)];
  }
  int32_t size() const { return static_cast<int32_t>(strings_.size()); }

 private:
  std::deque<std::string> strings_;  // never moves its strings
  absl::flat_hash_map<std::string_view, int32_t> ids_;
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_STRING_POOL_H_

#ifndef MEANFIELD_COORDINATOR_CORPUS_DICTIONARY_H_
#define MEANFIELD_COORDINATOR_CORPUS_DICTIONARY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace meanfield::corpus {

inline constexpr std::string_view kUnknown = "<unk>";

// Items in id order and back. Immutable, so that copies share the items.
class Dictionary {
 public:
  Dictionary() : Dictionary(std::vector<std::string>()) {}
  // The items must differ.
  explicit Dictionary(std::vector<std::string> items);

  int32_t size() const { return static_cast<int32_t>(items().size()); }
  const std::string& item(int32_t id) const {
    return items()[static_cast<size_t>(id)];
  }
  const std::vector<std::string>& items() const { return state_->items; }
  // -1 when absent.
  int32_t Find(std::string_view item) const;

  friend bool operator==(const Dictionary& a, const Dictionary& b) {
    return a.items() == b.items();
  }

 private:
  struct State {
    std::vector<std::string> items;
    absl::flat_hash_map<std::string_view, int32_t> ids;  // views of `items`
  };
  std::shared_ptr<const State> state_;
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_DICTIONARY_H_

#include "coordinator/corpus/dictionary.h"

#include <utility>

#include "common/base/check.h"

namespace meanfield::corpus {

Dictionary::Dictionary(std::vector<std::string> items) {
  auto state = std::make_shared<State>();
  state->items = std::move(items);
  state->ids.reserve(state->items.size());
  for (size_t i = 0; i < state->items.size(); ++i) {
    const bool is_new =
        state->ids.emplace(state->items[i], static_cast<int32_t>(i)).second;
    MEANFIELD_CHECK(is_new, state->items[i]);
  }
  state_ = std::move(state);
}

int32_t Dictionary::Find(std::string_view item) const {
  const auto found = state_->ids.find(item);
  return found == state_->ids.end() ? -1 : found->second;
}

}  // namespace meanfield::corpus

#include "tests/support/toy_corpora.h"

#include "absl/strings/str_cat.h"
#include "common/base/random.h"

namespace meanfield::testing {

std::string ToyTexts(int count, uint64_t seed) {
  CounterRng rng(seed);
  std::string lines;
  for (int i = 0; i < count; ++i) {
    const uint64_t label = rng.Below(4);
    absl::StrAppend(&lines, "__label__class", label);
    const uint64_t length = 4 + rng.Below(8);
    for (uint64_t word = 0; word < length; ++word) {
      const bool common = rng.Below(2) == 0;
      absl::StrAppend(&lines, common ? " common" : absl::StrCat(" c", label),
                      "w", rng.Below(30));
    }
    absl::StrAppend(&lines, "\n");
  }
  return lines;
}

std::string ToySentences(int count, uint64_t seed) {
  CounterRng rng(seed);
  std::string lines;
  for (int i = 0; i < count; ++i) {
    const uint64_t length = 5 + rng.Below(10);
    for (uint64_t word = 0; word < length; ++word) {
      const uint64_t id = rng.Below(60);
      absl::StrAppend(&lines, "word", id, "\tTAG", id % 5, "\n");
    }
    absl::StrAppend(&lines, "\n");
  }
  return lines;
}

}  // namespace meanfield::testing

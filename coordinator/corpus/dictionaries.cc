#include "coordinator/corpus/dictionaries.h"

#include <algorithm>
#include <string>

#include "coordinator/corpus/word_forms.h"

namespace meanfield::corpus {

int32_t EmbeddingDictionary::Row(std::string_view word) const {
  const int32_t exact = items.Find(word);
  if (kind != EmbeddingKind::kWordVectors) return std::max(exact, 0);
  if (exact >= 0) return exact;
  const std::string lower = LowerCase(word);
  if (const int32_t row = items.Find(lower); row >= 0) return row;
  for (const char digit : {'#', '0'}) {
    const int32_t row = items.Find(WithDigitsAs(digit, lower));
    if (row >= 0) return row;
  }
  return items.size();
}

}  // namespace meanfield::corpus

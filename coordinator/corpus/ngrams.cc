#include "coordinator/corpus/ngrams.h"

#include <algorithm>
#include <cstddef>

namespace meanfield::corpus {
namespace {

constexpr uint64_t kFnvOffset = 0xCBF29CE484222325u;
constexpr uint64_t kFnvPrime = 0x100000001B3u;

uint64_t AddWord(uint64_t hash, std::string_view word) {
  for (const char c : word) {
    hash = (hash ^ static_cast<unsigned char>(c)) * kFnvPrime;
  }
  return hash * kFnvPrime;  // the byte 0x00
}

// FNV-1a's low bits are weak; the remainder needs good ones.
uint64_t Finalise(uint64_t hash) {
  hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9u;
  hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBu;
  return hash ^ (hash >> 31);
}

}  // namespace

uint64_t HashNgram(std::span<const std::string_view> words) {
  uint64_t hash = kFnvOffset;
  for (const std::string_view word : words) hash = AddWord(hash, word);
  return Finalise(hash);
}

void AppendNgramIds(std::span<const std::string_view> words, int64_t size,
                    int64_t buckets, int64_t first_id,
                    std::vector<int32_t>& ids) {
  if (size < 2 || buckets <= 0) return;
  for (size_t first = 0; first + 1 < words.size(); ++first) {
    uint64_t hash = AddWord(kFnvOffset, words[first]);
    const size_t end =
        std::min(words.size(), first + static_cast<size_t>(size));
    for (size_t next = first + 1; next < end; ++next) {
      hash = AddWord(hash, words[next]);
      const uint64_t bucket = Finalise(hash) % static_cast<uint64_t>(buckets);
      ids.push_back(
          static_cast<int32_t>(first_id + static_cast<int64_t>(bucket)));
    }
  }
}

}  // namespace meanfield::corpus

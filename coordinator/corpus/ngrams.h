#ifndef MEANFIELD_COORDINATOR_CORPUS_NGRAMS_H_
#define MEANFIELD_COORDINATOR_CORPUS_NGRAMS_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace meanfield::corpus {

// FNV-1a (64 bits) of the words' UTF-8 bytes, each followed by a byte 0x00,
// then SplitMix64's finaliser. Part of the contract: trained models depend on
// it, tests pin values.
uint64_t HashNgram(std::span<const std::string_view> words);

// Appends first_id + HashNgram mod buckets of all n-grams of 2 … size words:
// by first word, then by length.
void AppendNgramIds(std::span<const std::string_view> words, int64_t size,
                    int64_t buckets, int64_t first_id,
                    std::vector<int32_t>& ids);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_NGRAMS_H_

#ifndef MEANFIELD_TESTS_SUPPORT_TOY_CORPORA_H_
#define MEANFIELD_TESTS_SUPPORT_TOY_CORPORA_H_

#include <cstdint>
#include <string>

namespace meanfield::testing {

// fastText lines of four classes; each text mixes words of its class with
// common ones, so that a bag of words learns it. Seeded.
std::string ToyTexts(int count, uint64_t seed);

// CoNLL columns (word TAB tag) in which the tag follows from the word; about
// ten words a sentence. Seeded.
std::string ToySentences(int count, uint64_t seed);

}  // namespace meanfield::testing

#endif  // MEANFIELD_TESTS_SUPPORT_TOY_CORPORA_H_

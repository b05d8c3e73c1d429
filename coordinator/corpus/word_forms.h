#ifndef MEANFIELD_COORDINATOR_CORPUS_WORD_FORMS_H_
#define MEANFIELD_COORDINATOR_CORPUS_WORD_FORMS_H_

#include <string>
#include <string_view>
#include <vector>

namespace meanfield::corpus {

// Of UTF-8 text; a byte that is not part of any character stays as it is.

// Unicode's lower case, as Python's str.lower().
std::string LowerCase(std::string_view word);
// Every decimal digit of any script (Python's \d) replaced.
std::string WithDigitsAs(char replacement, std::string_view word);
// The code points, as views of `word`.
std::vector<std::string_view> Characters(std::string_view word);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_WORD_FORMS_H_

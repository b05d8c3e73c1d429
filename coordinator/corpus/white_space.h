#ifndef MEANFIELD_COORDINATOR_CORPUS_WHITE_SPACE_H_
#define MEANFIELD_COORDINATOR_CORPUS_WHITE_SPACE_H_

#include <string_view>
#include <vector>

namespace meanfield::corpus {

// Nothing but ASCII white space: what separates sentences.
bool IsBlank(std::string_view line);

// Without blanks (U+0020) at either end.
std::string_view TrimBlanks(std::string_view field);

// Replaces `words` by the parts between runs of white space, by Unicode's
// White_Space property: a no-break space separates, a zero-width space is a
// character. Bytes that are not UTF-8 are characters.
void SplitAtWhiteSpace(std::string_view text,
                       std::vector<std::string_view>& words);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_WHITE_SPACE_H_

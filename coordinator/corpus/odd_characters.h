#ifndef MEANFIELD_COORDINATOR_CORPUS_ODD_CHARACTERS_H_
#define MEANFIELD_COORDINATOR_CORPUS_ODD_CHARACTERS_H_

#include <vector>

#include "coordinator/corpus/survey.h"
#include "coordinator/corpus/text_file.h"

namespace meanfield::corpus {

// Characters that are read as they stand but may be a mistake, by line:
//   control_characters     below U+0020, but for TAB and line ends, and U+007F
//   replacement_characters U+FFFD, left by an earlier conversion
//   invisible_characters   zero-width blanks and joiners, soft hyphens, …
//   no_break_spaces        part two words in running text
std::vector<Finding> FindOddCharacters(const TextFile& file);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_ODD_CHARACTERS_H_

#ifndef MEANFIELD_COORDINATOR_CORPUS_LABEL_LIST_H_
#define MEANFIELD_COORDINATOR_CORPUS_LABEL_LIST_H_

#include <string_view>
#include <vector>

namespace meanfield::corpus {

// How many labels a text has.
struct LabelRules {
  bool multi_label = false;  // any number, else one
  char delimiter = '\0';     // between several in one field; '\0': none
};

// The labels of a field, without blanks around them, each once. A field of one
// label is taken as it stands.
void SplitLabels(std::string_view field, const LabelRules& rules,
                 std::vector<std::string_view>& labels);

// Appends a label that is not there yet.
void AddLabel(std::string_view label, std::vector<std::string_view>& labels);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_LABEL_LIST_H_

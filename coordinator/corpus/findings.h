#ifndef MEANFIELD_COORDINATOR_CORPUS_FINDINGS_H_
#define MEANFIELD_COORDINATOR_CORPUS_FINDINGS_H_

#include <vector>

#include "coordinator/corpus/dictionaries.h"
#include "coordinator/corpus/split_view.h"
#include "coordinator/corpus/survey.h"

namespace meanfield::corpus {

// What may surprise about the texts of splits ("train" first), in this order:
//   labels_only_in_dev, labels_only_in_test  cannot be learned
//   similar_labels     differ in letter case or by "-" and "_" only
//   rare_labels        fewer than five examples to learn from
//   shared_with_dev, shared_with_test  texts of the training split as well
//   duplicates         texts that the training split has several times
//   conflicting_labels such texts whose labels differ
//   odd_transitions    I- or E- that starts a span, by conlleval's rule
std::vector<Finding> FindOddTexts(const std::vector<SplitView>& splits,
                                  LabelKind kind);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_FINDINGS_H_

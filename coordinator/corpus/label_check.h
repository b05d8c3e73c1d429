#ifndef MEANFIELD_COORDINATOR_CORPUS_LABEL_CHECK_H_
#define MEANFIELD_COORDINATOR_CORPUS_LABEL_CHECK_H_

#include <string>
#include <vector>

#include "coordinator/corpus/dictionaries.h"
#include "coordinator/corpus/fault_list.h"
#include "coordinator/corpus/sample_table.h"

namespace meanfield::corpus {

// Whether any tag of the table has a span's prefix.
bool HasSpans(const SampleTable& table);

// In a column of spans every tag is O, or B-, I-, E- or S- and a class: the
// sentences with another one, by number (as many as the table has), and a fault
// for each.
struct OddSpanTags {
  std::vector<bool> sentences;
  FaultList faults;
};
OddSpanTags FindOddSpanTags(const SampleTable& table);

// A warning for each label of the table that the dictionary lacks: it can't be
// learned and counts as an error in every score.
std::vector<std::string> WarnOfUnknownLabels(const SampleTable& table,
                                             const Dictionaries& dictionaries);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_LABEL_CHECK_H_

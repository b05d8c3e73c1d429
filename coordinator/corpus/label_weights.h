#ifndef MEANFIELD_COORDINATOR_CORPUS_LABEL_WEIGHTS_H_
#define MEANFIELD_COORDINATOR_CORPUS_LABEL_WEIGHTS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/corpus/dictionaries.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "proto/job.pb.h"

namespace meanfield::corpus {

// A weight for each label, 1 where none is named; empty where none is named at
// all. A span's class ("PER") stands for its four tags. INVALID_ARGUMENT lists
// the labels where there is no such one.
absl::StatusOr<std::vector<double>> MakeLabelWeights(
    const google::protobuf::RepeatedPtrField<proto::LabelWeight>& weights,
    const Dictionaries& dictionaries);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_LABEL_WEIGHTS_H_

#ifndef MEANFIELD_COORDINATOR_CORPUS_TENSOR_FILE_H_
#define MEANFIELD_COORDINATOR_CORPUS_TENSOR_FILE_H_

#include "common/blob/blob_store.h"
#include "common/tensor/tensor_spec.h"

namespace meanfield::corpus {

// A tensor whose values come from a file of the user's, alone in a blob.
struct TensorFile {
  TensorSpec spec;
  Blob file;
};

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_TENSOR_FILE_H_

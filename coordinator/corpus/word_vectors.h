#ifndef MEANFIELD_COORDINATOR_CORPUS_WORD_VECTORS_H_
#define MEANFIELD_COORDINATOR_CORPUS_WORD_VECTORS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/blob/blob_store.h"
#include "coordinator/corpus/dictionary.h"
#include "coordinator/corpus/tensor_file.h"

namespace meanfield::corpus {

struct WordVectors {
  Dictionary words;   // in the file's order, each once
  TensorFile tensor;  // F32 [words + 1, d]; the last row is zeros
  std::vector<std::string> warnings;
};

// Reads the word vectors of `path` (see word_vector_rows.h; binary where the
// name ends in ".bin") into a blob with the one tensor `tensor_name`. Of a word
// that is there several times the first row counts; a word that is not UTF-8 is
// left out; both are warned of. The file is mapped, the tensor written as it is
// read: memory holds the words only. INVALID_ARGUMENT names file and line.
absl::StatusOr<WordVectors> ReadWordVectors(const std::string& path,
                                            std::string tensor_name,
                                            BlobStore& blobs);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_WORD_VECTORS_H_

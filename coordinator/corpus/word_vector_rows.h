#ifndef MEANFIELD_COORDINATOR_CORPUS_WORD_VECTOR_ROWS_H_
#define MEANFIELD_COORDINATOR_CORPUS_WORD_VECTOR_ROWS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace meanfield::corpus {

// The rows of a file of word vectors, as views of its bytes. Only the rows'
// frames are checked here, the values when they are read.
struct WordVectorRows {
  struct Row {
    std::string_view word;
    std::string_view values;
    uint64_t number = 0;  // line of a text, row of a binary file; from 1
  };
  int64_t vector_size = 0;
  bool binary = false;
  std::vector<Row> rows;
};

// Lines `word v1 … vd`, with or without a first line `rows d` (GloVe, word2vec
// text, fastText's .vec). A word may hold blanks: the values are the last d
// fields. INVALID_ARGUMENT "file:line: …".
absl::StatusOr<WordVectorRows> ParseTextVectors(std::string_view bytes,
                                                const std::string& path);
// word2vec's binary format: a line `rows d`, then of each row the word, a blank
// and d little-endian floats. INVALID_ARGUMENT "file: row n: …".
absl::StatusOr<WordVectorRows> ParseBinaryVectors(std::string_view bytes,
                                                  const std::string& path);

// Writes the row's values; `values` has vector_size elements. INVALID_ARGUMENT
// says which value is not a finite number.
absl::Status ReadValues(const WordVectorRows& table,
                        const WordVectorRows::Row& row,
                        std::span<float> values);

// "file:7" or "file: row 7".
std::string PlaceOf(const std::string& path, bool binary, uint64_t number);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_WORD_VECTOR_ROWS_H_

#ifndef MEANFIELD_COORDINATOR_CORPUS_ENCODING_GUESS_H_
#define MEANFIELD_COORDINATOR_CORPUS_ENCODING_GUESS_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "coordinator/corpus/encoding.h"

namespace meanfield::corpus {

// UTF-8 where all of it is, or where what is not is rare beside characters of
// several bytes that are. Else by the bytes 80 … 9F: none, ISO-8859-1; only
// such that Windows-1252 has, that. INVALID_ARGUMENT says what was seen where
// none fits.
absl::StatusOr<Encoding> GuessEncoding(std::string_view bytes);
// The same of a file; the error names it.
absl::StatusOr<Encoding> GuessFileEncoding(const std::string& path);

}  // namespace meanfield::corpus

#endif  // MEANFIELD_COORDINATOR_CORPUS_ENCODING_GUESS_H_
